package dev.mobilebert.core

import java.io.ByteArrayInputStream
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull

class VocabularyTest {
    private val special = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n"

    private fun message(content: String) =
        assertFailsWith<ModelException> { Vocabulary.read(stream(content)) }.also {
            assertEquals(Problem.UnusableFile("vocab.txt"), it.problem)
        }.message!!

    @Test
    fun idsArePlaces() {
        val vocabulary = Vocabulary.read(stream("$special##a\n\u0085\n\u2028\nb"))
        assertEquals(listOf(0, 1, 2, 3),
            with(vocabulary) { listOf(padId, unknownId, clsId, sepId) })
        assertEquals(listOf(4, 5, 6, 7),
            listOf("##a", "\u0085", "\u2028", "b").map { vocabulary[it] })
        assertNull(vocabulary["a"])
    }

    @Test
    fun windowsLineEndsAreAccepted() =
        assertEquals(Vocabulary.read(stream(special + "b\n")).pieces,
            Vocabulary.read(stream((special + "b\n").replace("\n", "\r\n"))).pieces)

    @Test
    fun refusesWhatWouldShiftIdsOrNeverMatch() {
        assertEquals("vocab.txt is empty.", message(""))
        assertContains(message("$special\nb\n"), "vocab.txt, line 5 is empty")
        assertContains(message(special + "b\nc\nb\n"),
            "line 7: the piece \"b\" is on line 5 already")
        assertContains(message(special + "b c\n"), "line 5: the piece \"b c\" contains white space")
        assertContains(message("[PAD]\n[UNK]\n[CLS]\n"), "lacks the special piece [SEP]")
        assertContains(message("\uFEFF$special"), "byte order mark")
    }

    @Test
    fun namesTheLineThatIsNotUtf8() {
        val bytes = special.toByteArray() + byteArrayOf(0xC3.toByte(), 0x28)
        val error = assertFailsWith<ModelException> { Vocabulary.read(ByteArrayInputStream(bytes)) }
        assertEquals("vocab.txt, line 5 is not UTF-8.", error.message)
    }
}
