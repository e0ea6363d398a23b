package dev.mobilebert.demo.ui

import androidx.compose.foundation.background
import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.shape.RoundedCornerShape
import androidx.compose.material3.Button
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.remember
import androidx.compose.ui.Alignment
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import androidx.compose.ui.unit.dp
import dev.mobilebert.core.Entity
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.State
import dev.mobilebert.demo.DemoViewModel
import dev.mobilebert.demo.R

/** Finds entities in a text and marks them, each type in a colour. */
@Composable
fun FindScreen(model: DemoViewModel) {
    LaunchedEffect(Unit) { model.finder.start() }
    val found = ((model.finder.state as? State.Finished)?.outcome as? Outcome.Entities)?.entities
    val colors = MarkColors.current
    val types = found.orEmpty().map { it.type }.distinct()
    val marks = remember(found, colors) {
        found.orEmpty().map {
            Mark(it.start, it.end, colors[types.indexOf(it.type)], colors.letters)
        }
    }
    val place = rememberReadingPlace()
    TwoPanes(
        text = { modifier ->
            TextPane(model.document, marks, stringResource(R.string.find_hint), place, modifier)
        },
        result = { StatusCard(model.finder, null) { Entities(found.orEmpty(), types) } },
        controls = {
            Button(model::find, Modifier.fillMaxWidth(), model.document.value.isNotBlank()) {
                Text(stringResource(R.string.find))
            }
        },
    )
}

@Composable
private fun Entities(found: List<Entity>, types: List<String>) {
    if (found.isEmpty()) Text(stringResource(R.string.no_entities))
    for (entity in found.take(SHOWN)) {
        val background = MarkColors.current[types.indexOf(entity.type)]
        Row(Modifier.fillMaxWidth(), Arrangement.spacedBy(8.dp), Alignment.CenterVertically) {
            Text(entity.type.replace('_', ' '),
                Modifier.background(background, RoundedCornerShape(8.dp))
                    .padding(horizontal = 8.dp, vertical = 2.dp),
                MarkColors.current.letters, style = MaterialTheme.typography.labelLarge)
            Beginning(entity.text, Modifier.weight(1f))
            Text(stringResource(R.string.percent, 100 * entity.probability),
                style = MaterialTheme.typography.bodySmall)
        }
    }
    if (found.size > SHOWN) Text(stringResource(R.string.more_entities, found.size - SHOWN))
}

/** The most entities in the list; all are marked in the text. */
private const val SHOWN = 20
