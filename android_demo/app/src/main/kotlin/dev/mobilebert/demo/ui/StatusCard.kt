package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.material3.Card
import androidx.compose.material3.CardDefaults
import androidx.compose.material3.LinearProgressIndicator
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Text
import androidx.compose.material3.TextButton
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.setValue
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Problem
import dev.mobilebert.core.State
import dev.mobilebert.demo.ModelSession
import dev.mobilebert.demo.R
import kotlinx.coroutines.delay

/**
 * Shows what a model is doing: that it is being opened, which window it reads, what went wrong; and
 * its result with [result]. A screen reader reads out every change.
 *
 * @param idle what the screen says before a request; null for nothing.
 */
@Composable
fun StatusCard(
    session: ModelSession<*>,
    idle: String?,
    modifier: Modifier = Modifier,
    result: @Composable (Outcome) -> Unit,
) {
    val state = session.state
    if (state is State.Ready && idle == null) return
    // Without a text nothing is wrong yet.
    val isError = state is State.Error && state.problem != Problem.NoText
    Card(
        modifier.fillMaxWidth().semantics { liveRegion = LiveRegionMode.Polite },
        colors = CardDefaults.cardColors(
            containerColor = if (isError) MaterialTheme.colorScheme.errorContainer
            else MaterialTheme.colorScheme.surfaceContainerHigh,
        ),
    ) {
        Column(Modifier.padding(16.dp), Arrangement.spacedBy(8.dp)) {
            when (state) {
                State.Loading -> {
                    Text(stringResource(R.string.loading))
                    LinearProgressIndicator(Modifier.fillMaxWidth())
                }
                State.Ready -> Text(idle.orEmpty())
                State.Waiting -> Waiting(session::cancel)
                is State.Running -> Running(state, session::cancel)
                is State.Error -> Text(describe(state.problem))
                is State.Finished -> result(state.outcome)
            }
        }
    }
}

@Composable
private fun Waiting(cancel: () -> Unit) {
    // Most requests begin at once.
    var isLong by remember { mutableStateOf(false) }
    LaunchedEffect(Unit) {
        delay(SHORT_MILLISECONDS)
        isLong = true
    }
    if (isLong) Text(stringResource(R.string.waiting))
    LinearProgressIndicator(Modifier.fillMaxWidth())
    TextButton(cancel) { Text(stringResource(R.string.cancel)) }
}

@Composable
private fun Running(state: State.Running, cancel: () -> Unit) {
    Text(stringResource(R.string.running, state.window, state.count))
    LinearProgressIndicator(
        progress = { state.window.toFloat() / state.count },
        Modifier.fillMaxWidth(),
    )
    TextButton(cancel) { Text(stringResource(R.string.cancel)) }
}

/** A request that waits no longer than this is not said to wait. */
private const val SHORT_MILLISECONDS = 300L
