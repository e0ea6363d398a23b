package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertTrue

class NormalizationTableTest {
    private val head = "mobilebert-normalization 1\nlower_case true\n"

    private fun message(table: String) =
        assertFailsWith<ModelException> { NormalizationTable.read(stream(table)) }.also {
            assertEquals(Problem.UnusableFile("normalization.txt"), it.problem)
        }.message!!

    @Test
    fun readsEveryKindOfRecord() {
        val table = NormalizationTable.read(stream(head + "removed 0 8\nisolated 21\naccent 300\n" +
            "cased 41\nignorable 27\nwhitespace 10ffff\nclass 300 302 e6\nlower 41 5a 61\n" +
            "lower 130 130 69 307\nnfd e9 e9 65 301\nend\n"))
        assertTrue(table.lowerCase)
        assertEquals(NormalizationTable.REMOVED, table.classes(8))
        assertEquals(0, table.classes(9))
        assertEquals(NormalizationTable.WHITESPACE, table.classes(0x10FFFF))
        assertEquals(NormalizationTable.ACCENT or NormalizationTable.SPECIAL, table.classes(0x300))
        assertEquals(listOf(230, 230, 0), listOf(0x300, 0x302, 0x303).map(table::combiningClass))
        assertEquals(listOf('z'.code), table.lower('Z'.code)?.toList())
        assertEquals(listOf(0x69, 0x307), table.lower(0x130)?.toList())
        assertEquals(listOf(0x65, 0x301), table.decomposition(0xE9)?.toList())
        assertFalse(Golden.table(false).lowerCase)
    }

    @Test
    fun refusesAFileThatIsCutOrOfAnotherKind() {
        assertContains(message("removed 0\nend\n"), "is not a table that this app knows")
        assertContains(message("mobilebert-normalization 2\nend\n"), "is not a table")
        assertContains(message(head + "removed 0"), "normalization.txt is cut")
    }

    @Test
    fun namesALineThatIsNotUnderstood() {
        val lines = listOf(
            "", "removed", "removed x", "removed 8 0", "removed 0 110000", "removed 0 1 2",
            "lower 41", "lower 41 42", "lower 41 42 61 62", "other 0 1 2", "removed  1",
            "class 300 300 0", "class 300 300 ff", "removed -1 8", "lower 41 41 110000",
            "lower 41 42 10ffff", "nfd e9 e9 65 -1",
        )
        for (line in lines) {
            assertEquals("normalization.txt, line 3 is not understood: \"$line\".",
                message("$head$line\nend\n"))
        }
        for (line in listOf("removed 0 10ffff", "class 0 10ffff 1")) {
            assertEquals("normalization.txt, line 7 is not understood: \"$line\".",
                message("$head${"$line\n".repeat(5)}end\n"))
        }
        val wrong = "mobilebert-normalization 1\nlower_case yes\nend\n"
        assertContains(message(wrong), "line 2 is not understood")
    }
}
