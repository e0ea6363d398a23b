package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.material3.OutlinedCard
import androidx.compose.material3.Text
import androidx.compose.material3.TextButton
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.res.stringResource
import dev.mobilebert.demo.R
import dev.mobilebert.demo.SavedText

/**
 * A text that is read with its marks, and edited after a tap on Edit. One that is too long to edit
 * can be cleared and replaced.
 */
@Composable
fun TextPane(
    text: SavedText,
    marks: List<Mark>,
    hint: String,
    place: ReadingPlace,
    modifier: Modifier,
    more: @Composable () -> Unit = {},
) {
    val isLong = text.value.length > LONGEST_TO_EDIT
    val isEditor = !isLong && (text.isEdited || text.value.isEmpty())
    Column(modifier) {
        Row(Modifier.fillMaxWidth()) {
            when {
                isLong -> TextButton({ text.value = "" }) { Text(stringResource(R.string.clear)) }
                isEditor -> TextButton({ text.isEdited = false }, enabled = text.isEdited) {
                    Text(stringResource(R.string.read))
                }
                else -> TextButton({ text.isEdited = true }) { Text(stringResource(R.string.edit)) }
            }
            more()
        }
        val room = Modifier.weight(1f).fillMaxWidth()
        if (isEditor) {
            val change = { typed: String ->
                // What is typed into an empty text would make it one to read.
                text.isEdited = true
                text.value = typed
            }
            Editor(text.value, change, stringResource(R.string.text), hint, room)
        } else {
            OutlinedCard(room) { Passage(text.value, marks, place) }
        }
    }
}
