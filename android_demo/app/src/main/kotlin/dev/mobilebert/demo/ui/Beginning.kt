package dev.mobilebert.demo.ui

import androidx.compose.material3.LocalTextStyle
import androidx.compose.material3.Text
import androidx.compose.runtime.Composable
import androidx.compose.ui.Modifier
import androidx.compose.ui.text.TextStyle
import androidx.compose.ui.text.font.FontWeight
import androidx.compose.ui.text.style.TextOverflow
import dev.mobilebert.demo.beginning

/** Shows the beginning of a text of any length: a book would take too long to lay out. */
@Composable
fun Beginning(
    text: String,
    modifier: Modifier = Modifier,
    style: TextStyle = LocalTextStyle.current,
    fontWeight: FontWeight? = null,
) {
    Text(text.beginning(MOST_CHARACTERS), modifier, style = style, fontWeight = fontWeight,
        maxLines = MOST_ROWS, overflow = TextOverflow.Ellipsis)
}

private const val MOST_CHARACTERS = 2_000
private const val MOST_ROWS = 12
