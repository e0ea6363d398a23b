package dev.mobilebert.core

import kotlin.random.Random
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** The tokenizer takes every text: in linear time, and without cutting a character in two. */
class OddTextTest {
    private val tokenizer = Golden.tokenizer()

    private fun isBoundary(text: String, place: Int) = place == 0 || place == text.length ||
        !(text[place - 1].isHighSurrogate() && text[place].isLowSurrogate())

    private fun assertSound(text: String, tokens: Tokens) {
        var last = 0
        for (index in 0 until tokens.size) {
            val start = tokens.starts[index]
            val end = tokens.ends[index]
            assertTrue(start in last until end && end <= text.length)
            assertTrue(isBoundary(text, start) && isBoundary(text, end))
            assertTrue(tokens.ids[index] in tokenizer.vocabulary.pieces.indices)
            last = start
        }
    }

    @Test
    fun randomUnitsOfUtf16() {
        val random = Random(5)
        val odd = "\u0000\uD800\uDBFF\uDC00\uDFFF\uFFFF\uFFFD\u202E\u200D\u0301\u0345\u1B44\u00AD " +
            "가a.Σİ"
        repeat(3000) {
            val text = String(CharArray(random.nextInt(60)) {
                if (random.nextBoolean()) odd.random(random) else random.nextInt(0x10000).toChar()
            })
            for (lowerCase in listOf(true, false)) {
                assertSound(text, Golden.tokenizer(lowerCase).tokenize(text))
            }
        }
    }

    @Test
    fun aMillionOfOneCharacterTakesLinearTime() {
        // Each text attacks one way to take quadratic time; a million characters would take hours.
        val kinds = listOf(
            "a", "\u0301", "\u1B44\u0301", "Σ", "Σ.", "AΣ'", "İ", "가", "😀", "\uD800", "\u0000",
            "the ", "中", "\u200D", "ệ", "\u0344", "\u05D0",
        )
        for (kind in kinds) {
            val text = kind.repeat(1_000_000 / kind.length)
            val start = System.nanoTime()
            assertSound(text, tokenizer.tokenize(text))
            val seconds = (System.nanoTime() - start) / 1e9
            assertTrue(seconds < 30, "$seconds s for ${text.length} of \"$kind\"")
        }
    }

    @Test
    fun longWordsAreOnePlace() {
        val tokens = tokenizer.tokenize("a".repeat(1_000_000))
        assertEquals(listOf(1), tokens.ids.toList())
        assertEquals(listOf(0, 1_000_000), listOf(tokens.starts[0], tokens.ends[0]))
    }

    @Test
    fun nothing() {
        for (text in listOf("", " ", "\u0000", "\u200B\uFEFF", "\u2028\u3000", "\u0301")) {
            assertEquals(0, tokenizer.tokenize(text).size, text)
        }
    }
}
