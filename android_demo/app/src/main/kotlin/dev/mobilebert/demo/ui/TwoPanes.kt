package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.BoxWithConstraints
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxHeight
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.height
import androidx.compose.foundation.layout.heightIn
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.verticalScroll
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.unit.dp

/**
 * A text, the result and the controls: one below the other, or the text beside the two where the
 * screen is wide. Controls stay on the screen, unless a keyboard leaves too little of a wide one.
 * The result scrolls if it is long, and the text takes the room that is left.
 */
@Composable
fun TwoPanes(
    text: @Composable (Modifier) -> Unit,
    result: @Composable () -> Unit,
    controls: @Composable () -> Unit = {},
) = BoxWithConstraints(
    Modifier.fillMaxSize().padding(start = 16.dp, end = 16.dp, bottom = 16.dp),
) {
    val most = maxHeight * RESULT
    if (maxWidth >= 560.dp) {
        // A phone on its side has little room above its keyboard: then the whole scrolls.
        val height = maxOf(maxHeight, LEAST_HEIGHT)
        Column(Modifier.verticalScroll(rememberScrollState())) {
            Row(Modifier.fillMaxWidth().height(height), Arrangement.spacedBy(24.dp)) {
                text(Modifier.weight(1f).fillMaxHeight())
                Column(Modifier.weight(1f), Arrangement.spacedBy(8.dp)) {
                    Scrolling(Modifier.weight(1f, fill = false), result)
                    controls()
                }
            }
        }
    } else {
        Column(Modifier.fillMaxSize(), Arrangement.spacedBy(8.dp)) {
            text(Modifier.weight(1f).fillMaxWidth())
            Scrolling(Modifier.heightIn(max = most), result)
            controls()
        }
    }
}

@Composable
private fun Scrolling(modifier: Modifier, content: @Composable () -> Unit) {
    Column(modifier.verticalScroll(rememberScrollState())) { content() }
}

/** The least height of two panes side by side. */
private val LEAST_HEIGHT = 280.dp

/** The largest part of the screen's height for the result. */
private const val RESULT = 0.4f
