package dev.mobilebert.demo.ui

import androidx.compose.foundation.lazy.LazyListState
import androidx.compose.foundation.lazy.rememberLazyListState
import androidx.compose.runtime.Composable
import androidx.compose.runtime.MutableState
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.remember
import androidx.compose.runtime.saveable.rememberSaveable
import androidx.compose.runtime.setValue

/**
 * Where a text is read.
 *
 * @property list how far the text is scrolled.
 */
class ReadingPlace(val list: LazyListState, found: MutableState<Int?>) {
    /** The start of the mark that the text was scrolled to last; null without marks. */
    var found by found
}

/**
 * Returns a place that survives when the phone is turned. Call it outside [TwoPanes], which puts
 * its panes elsewhere then: Compose finds a saved value by the place of its call.
 */
@Composable
fun rememberReadingPlace(): ReadingPlace {
    val list = rememberLazyListState()
    val found = rememberSaveable { mutableStateOf<Int?>(null) }
    return remember(list, found) { ReadingPlace(list, found) }
}
