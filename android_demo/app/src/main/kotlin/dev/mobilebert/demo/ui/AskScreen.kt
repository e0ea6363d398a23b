package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.text.KeyboardActions
import androidx.compose.foundation.text.KeyboardOptions
import androidx.compose.material3.Button
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.OutlinedTextField
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.remember
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.LocalFocusManager
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.input.ImeAction
import androidx.compose.ui.text.input.KeyboardCapitalization
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Span
import dev.mobilebert.core.State
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.R

/** Answers a question on a passage and marks the answer where it stands. */
@Composable
fun AskScreen(model: DemoViewModel) {
    LaunchedEffect(Unit) { model.answerer.start() }
    val answer = ((model.answerer.state as? State.Finished)?.outcome as? Outcome.Answer)?.best
    val colors = MarkColors.current
    val marks = remember(answer, colors) {
        listOfNotNull(answer?.let { Mark(it.start, it.end, colors[0], colors.letters) })
    }
    val place = rememberReadingPlace()
    TwoPanes(
        text = { modifier ->
            val hint = stringResource(R.string.passage_hint)
            TextPane(model.passage, marks, hint, place, modifier) {
                Samples(model)
            }
        },
        result = { StatusCard(model.answerer, null) { Answer(it, model.question.isCut) } },
        controls = { QuestionField(model) },
    )
}

@Composable
private fun QuestionField(model: DemoViewModel) {
    val focus = LocalFocusManager.current
    val canAsk = model.question.value.isNotBlank()
    // Without the focus the keyboard goes, which covers the answer.
    val ask = {
        if (canAsk) {
            focus.clearFocus()
            model.ask()
        }
    }
    Column(verticalArrangement = Arrangement.spacedBy(8.dp)) {
        OutlinedTextField(
            model.question.value, { model.question.value = it }, Modifier.fillMaxWidth(),
            label = { Text(stringResource(R.string.question)) },
            trailingIcon = { SpeechButton { model.question.value = it } },
            keyboardOptions = KeyboardOptions(
                capitalization = KeyboardCapitalization.Sentences, imeAction = ImeAction.Go),
            keyboardActions = KeyboardActions(onGo = { ask() }),
            singleLine = true,
        )
        Button(ask, Modifier.fillMaxWidth(), enabled = canAsk) {
            Text(stringResource(R.string.ask))
        }
    }
}

@Composable
private fun Answer(outcome: Outcome, isQuestionCut: Boolean) {
    when (outcome) {
        is Outcome.Answer -> {
            Beginning(outcome.best.text, style = MaterialTheme.typography.titleMedium,
                fontWeight = FontWeight.Bold)
            Text(stringResource(R.string.sureness, 100 * outcome.best.probability),
                style = MaterialTheme.typography.bodySmall)
            Notice(outcome.isCut || isQuestionCut)
            Others(R.string.alternatives, outcome.alternatives.drop(1))
        }
        is Outcome.NoAnswer -> {
            Text(stringResource(R.string.no_answer), style = MaterialTheme.typography.titleMedium)
            Notice(outcome.isCut || isQuestionCut)
            Others(R.string.guesses, outcome.alternatives)
        }
        else -> Unit
    }
}

@Composable
private fun Notice(isCut: Boolean) {
    if (isCut) {
        Text(stringResource(R.string.question_is_cut), style = MaterialTheme.typography.bodySmall)
    }
}

@Composable
private fun Others(title: Int, spans: List<Span>) {
    if (spans.isEmpty()) return
    Text(stringResource(title), style = MaterialTheme.typography.labelLarge)
    for (span in spans.take(SHOWN)) {
        Beginning(stringResource(R.string.alternative, span.text, 100 * span.probability),
            style = MaterialTheme.typography.bodySmall)
    }
}

/** The most alternatives on the screen. */
private const val SHOWN = 2
