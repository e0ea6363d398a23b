package dev.mobilebert.demo.ui

import androidx.compose.ui.graphics.Color

/** A place of a text that is shown in another colour, UTF-16 indices. */
data class Mark(val start: Int, val end: Int, val background: Color, val color: Color)
