package dev.mobilebert.demo

import dev.mobilebert.demo.ui.Paragraphs
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.Test

class ParagraphsTest {
    @Test
    fun linesAreParts() =
        assertEquals(listOf(0..1, 3..2, 4..4), Paragraphs.of("ab\n\nc\n"))

    @Test
    fun partsOfALongParagraphAddUpToIt() {
        for (text in listOf("word ".repeat(3_000), "a".repeat(5_001), "a" + "😀".repeat(4_000))) {
            val parts = Paragraphs.of(text)
            assertTrue(parts.size > 2)
            assertEquals(text, parts.joinToString("") { text.substring(it) })
            for (part in parts) {
                assertTrue(part.last - part.first < 2_000)
                assertTrue(!text[part.first].isLowSurrogate())
            }
        }
    }
}
