package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.PaddingValues
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.lazy.LazyColumn
import androidx.compose.foundation.lazy.itemsIndexed
import androidx.compose.foundation.text.selection.SelectionContainer
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.OutlinedTextField
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.runtime.DisposableEffect
import androidx.compose.runtime.LaunchedEffect
import androidx.compose.runtime.remember
import androidx.compose.runtime.withFrameNanos
import androidx.compose.ui.Modifier
import androidx.compose.ui.platform.testTag
import androidx.compose.ui.text.AnnotatedString
import androidx.compose.ui.text.SpanStyle
import androidx.compose.ui.text.TextLayoutResult
import androidx.compose.ui.text.buildAnnotatedString
import androidx.compose.ui.unit.dp

/** The longest text that is edited in place: a text field lays out all of its text at once. */
const val LONGEST_TO_EDIT = 20_000

/**
 * A text to read, of any length, with marks. It scrolls to the line of the first one when that is
 * new, and else stays at its place.
 */
@Composable
fun Passage(text: String, marks: List<Mark>, place: ReadingPlace, modifier: Modifier = Modifier) {
    val parts = remember(text) { Paragraphs.of(text) }
    val list = place.list
    val layouts = remember(parts) { HashMap<Int, TextLayoutResult>() }
    LaunchedEffect(marks, parts) {
        val first = marks.firstOrNull()
        if (first?.start == place.found) return@LaunchedEffect
        place.found = first?.start
        first ?: return@LaunchedEffect
        val part = parts.indexOfFirst { first.start <= it.last }
        if (part < 0) return@LaunchedEffect
        // The result beside the text has its size now, and the text the rest.
        withFrameNanos {}
        if (list.layoutInfo.visibleItemsInfo.none { it.index == part }) {
            list.scrollToItem(part)
            withFrameNanos {}
        }
        val layout = layouts[part] ?: return@LaunchedEffect
        val line = layout.getLineForOffset(first.start - parts[part].first)
        // A pane without height shows no part.
        val top = list.layoutInfo.visibleItemsInfo.firstOrNull { it.index == part }?.offset
            ?: return@LaunchedEffect
        val isSeen = top + layout.getLineTop(line) >= list.layoutInfo.viewportStartOffset &&
            top + layout.getLineBottom(line) <= list.layoutInfo.viewportEndOffset
        if (!isSeen) list.animateScrollToItem(part, layout.getLineTop(line).toInt())
    }
    SelectionContainer(modifier.testTag("passage")) {
        LazyColumn(
            Modifier.fillMaxSize(), list, PaddingValues(16.dp),
            verticalArrangement = Arrangement.spacedBy(8.dp),
        ) {
            itemsIndexed(parts) { index, part ->
                // Only the parts on the screen have a layout: a book has very many parts.
                DisposableEffect(layouts, index) { onDispose { layouts.remove(index) } }
                Text(marked(text, part, marks), style = MaterialTheme.typography.bodyLarge,
                    onTextLayout = { layouts[index] = it })
            }
        }
    }
}

private fun marked(text: String, part: IntRange, marks: List<Mark>): AnnotatedString =
    buildAnnotatedString {
        append(text.substring(part.first, part.last + 1))
        for (mark in marks) {
            val start = maxOf(mark.start, part.first) - part.first
            val end = minOf(mark.end, part.last + 1) - part.first
            if (start < end) {
                addStyle(SpanStyle(color = mark.color, background = mark.background), start, end)
            }
        }
    }

/** A text field of several lines that fills its place. */
@Composable
fun Editor(
    text: String,
    onChange: (String) -> Unit,
    label: String,
    hint: String,
    modifier: Modifier = Modifier,
) {
    OutlinedTextField(text, onChange, modifier, label = { Text(label) },
        placeholder = { Text(hint) })
}
