package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.material3.LinearProgressIndicator
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.semantics.clearAndSetSemantics
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.LabelledClass
import dev.mobilebert.core.Outcome
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.R
import kotlinx.coroutines.delay

/** Classifies a text while it is typed. */
@Composable
fun ClassifyScreen(model: DemoViewModel) {
    LaunchedEffect(model.text.value) {
        model.classifier.start()
        delay(PAUSE_MILLISECONDS)
        model.classify()
    }
    TwoPanes(
        text = { modifier ->
            Editor(model.text.value, { model.text.value = it },
                stringResource(R.string.text), stringResource(R.string.classify_hint), modifier)
        },
        result = {
            StatusCard(model.classifier, stringResource(R.string.classify_idle)) { outcome ->
                if (outcome is Outcome.Classes) Classes(outcome, model.text.isCut)
            }
        },
    )
}

@Composable
private fun Classes(outcome: Outcome.Classes, isTextCut: Boolean) {
    Column(verticalArrangement = Arrangement.spacedBy(12.dp)) {
        for (found in outcome.classes.take(SHOWN)) Bar(found)
    }
    if (outcome.classes.size > SHOWN) {
        Text(stringResource(R.string.classes_shown, SHOWN, outcome.classes.size),
            style = MaterialTheme.typography.bodySmall)
    }
    if (outcome.isCut || isTextCut) {
        Text(stringResource(R.string.is_cut), style = MaterialTheme.typography.bodySmall)
    }
}

@Composable
private fun Bar(found: LabelledClass) = Column(verticalArrangement = Arrangement.spacedBy(4.dp)) {
    Row(Modifier.fillMaxWidth(), Arrangement.SpaceBetween) {
        Text(found.label.replace('_', ' '), style = MaterialTheme.typography.titleMedium)
        Text(stringResource(R.string.percent, 100 * found.probability),
            style = MaterialTheme.typography.titleMedium)
    }
    // The number says the same to a screen reader.
    LinearProgressIndicator(
        { found.probability }, Modifier.fillMaxWidth().clearAndSetSemantics {}, drawStopIndicator = {})
}

/** The text is classified after a pause in typing of this length. */
private const val PAUSE_MILLISECONDS = 300L

/** The most classes on the screen. */
private const val SHOWN = 5
