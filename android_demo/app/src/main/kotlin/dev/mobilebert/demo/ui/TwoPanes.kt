package dev.mobilebert.demo.ui

import androidx.compose.foundation.layout.Arrangement
import androidx.compose.foundation.layout.BoxWithConstraints
import androidx.compose.foundation.layout.Column
import androidx.compose.foundation.layout.Row
import androidx.compose.foundation.layout.fillMaxHeight
import androidx.compose.foundation.layout.fillMaxSize
import androidx.compose.foundation.layout.fillMaxWidth
import androidx.compose.foundation.layout.heightIn
import androidx.compose.foundation.layout.padding
import androidx.compose.foundation.rememberScrollState
import androidx.compose.foundation.verticalScroll
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.unit.dp

/**
 * A text, the result and the controls: one below the other, or the text beside the two where the
 * screen is wide. Controls always stay on the screen. The result scrolls if it is long, and the
 * text takes the room that is left.
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
        Row(Modifier.fillMaxSize(), Arrangement.spacedBy(24.dp)) {
            text(Modifier.weight(1f).fillMaxHeight())
            Column(Modifier.weight(1f), Arrangement.spacedBy(8.dp)) {
                Scrolling(Modifier.weight(1f, fill = false), result)
                controls()
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

/** The largest part of the screen's height for the result. */
private const val RESULT = 0.4f
