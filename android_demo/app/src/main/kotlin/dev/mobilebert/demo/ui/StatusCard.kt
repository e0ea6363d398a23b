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
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.semantics.LiveRegionMode
import androidx.compose.ui.semantics.liveRegion
import androidx.compose.ui.semantics.semantics
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.State
import dev.mobilebert.demo.ModelSession
import dev.mobilebert.demo.R

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
    val isError = state is State.Error
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
                is State.Running -> Running(state, session::cancel)
                is State.Error -> Text(describe(state.problem))
                is State.Finished -> result(state.outcome)
            }
        }
    }
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
