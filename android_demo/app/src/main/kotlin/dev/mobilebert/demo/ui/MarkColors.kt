package dev.mobilebert.demo.ui

import androidx.compose.foundation.isSystemInDarkTheme
import androidx.compose.runtime.Composable
import androidx.compose.ui.graphics.Color

/** Colours of marks in texts: backgrounds that differ, and a colour of letters to read on them. */
class MarkColors private constructor(private val backgrounds: List<Color>, val letters: Color) {
    /** The first is for answers. */
    operator fun get(number: Int): Color = backgrounds[number.coerceAtLeast(0) % backgrounds.size]

    companion object {
        private val Light = MarkColors(
            listOf(0xFFFFE066, 0xFFBFE3FF, 0xFFFFCFC7, 0xFFCBEFC1, 0xFFE3D5FF).map(::Color),
            Color.Black)
        private val Dark = MarkColors(
            listOf(0xFF6B5600, 0xFF004F73, 0xFF7A2E25, 0xFF1F5A17, 0xFF4F3A86).map(::Color),
            Color.White)

        /** The colours for the day or for the night. */
        val current: MarkColors
            @Composable get() = if (isSystemInDarkTheme()) Dark else Light
    }
}
