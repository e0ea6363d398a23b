package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.lazy.LazyColumn
import androidx.compose.foundation.lazy.items
import androidx.compose.foundation.text.KeyboardActions
import androidx.compose.foundation.text.KeyboardOptions
import androidx.compose.material3.Button
import androidx.compose.material3.HorizontalDivider
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.OutlinedCard
import androidx.compose.material3.OutlinedTextField
import androidx.compose.material3.Text
import androidx.compose.material3.TextButton
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.LocalFocusManager
import androidx.compose.ui.platform.testTag
import androidx.compose.ui.res.pluralStringResource
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.text.input.ImeAction
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.Match
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.State
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.R
import kotlin.math.roundToInt

/** Ranks the user's own lines by how much they mean what a query means. */
@Composable
fun SearchScreen(model: DemoViewModel) {
    LaunchedEffect(Unit) { model.searcher.start() }
    val found = (model.searcher.state as? State.Finished)?.outcome as? Outcome.Matches
    val place = rememberReadingPlace()
    TwoPanes(
        text = { modifier ->
            if (found == null) {
                val hint = stringResource(R.string.lines_hint)
                TextPane(model.lines, emptyList(), hint, place, modifier)
            } else {
                Matches(found.matches, model.searcher::cancel, modifier)
            }
        },
        result = {
            StatusCard(model.searcher, null) {
                val count = found?.matches.orEmpty().size
                Text(pluralStringResource(R.plurals.lines_found, count, count))
                val cut = found?.cutLines ?: 0
                if (cut > 0) Text(pluralStringResource(R.plurals.lines_cut, cut, cut))
                if (found?.isQueryCut == true || model.query.isCut) {
                    Text(stringResource(R.string.query_is_cut))
                }
            }
        },
        controls = { QueryField(model) },
    )
}

@Composable
private fun Matches(matches: List<Match>, back: () -> Unit, modifier: Modifier) = Column(modifier) {
    TextButton(back) { Text(stringResource(R.string.all_lines)) }
    OutlinedCard(Modifier.weight(1f)) {
        LazyColumn(Modifier.testTag("matches")) {
            items(matches) { match ->
                Row(Modifier.fillMaxWidth().padding(16.dp), Arrangement.spacedBy(16.dp)) {
                    Beginning(match.line, Modifier.weight(1f))
                    // Formatted as it is, one just below 0 would be "-0.00".
                    val cosine = (100 * match.cosine).roundToInt() / 100f
                    Text(stringResource(R.string.cosine, cosine),
                        style = MaterialTheme.typography.labelLarge,
                        color = MaterialTheme.colorScheme.primary)
                }
                HorizontalDivider()
            }
        }
    }
}

@Composable
private fun QueryField(model: DemoViewModel) {
    val focus = LocalFocusManager.current
    val canSearch = model.query.value.isNotBlank()
    val search = {
        if (canSearch) {
            focus.clearFocus()
            model.search()
        }
    }
    OutlinedTextField(
        model.query.value, { model.query.value = it }, Modifier.fillMaxWidth(),
        label = { Text(stringResource(R.string.query)) },
        trailingIcon = { SpeechButton { model.query.value = it } },
        keyboardOptions = KeyboardOptions(imeAction = ImeAction.Search),
        keyboardActions = KeyboardActions(onSearch = { search() }),
        singleLine = true,
    )
    Button(search, Modifier.fillMaxWidth(), enabled = canSearch) {
        Text(stringResource(R.string.search))
    }
}
