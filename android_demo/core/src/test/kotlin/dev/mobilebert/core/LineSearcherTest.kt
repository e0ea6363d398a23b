package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs

class LineSearcherTest {
    private val tokenizer = Golden.small("sea", "ship", "bread")

    /** A text's vector counts its "sea" and "bread", which make it three and four long at most. */
    private val runner = FakeRunner { inputs ->
        val ids = inputs.getValue("ids")
        mapOf("sentence_embedding" to
            floatArrayOf(3f * ids.count { it == 5 }, 4f * ids.count { it == 7 }))
    }
    private val searcher = LineSearcher(
        spec("embedding", "\"sentence_embedding\": {}", listOf(6)), tokenizer, runner)

    private fun search(query: String, vararg lines: String) =
        assertIs<Outcome.Matches>(searcher.run(Search(query, lines.toList()))).matches

    @Test
    fun linesAreRankedByCosineAndEqualOnesKeepTheirOrder() {
        // "\u200B" has no tokens, and is skipped as the empty line is.
        val found = search("sea", "bread", "sea bread", "", "sea sea", "sea", "\u200B")
        assertEquals(listOf(3 to 1f, 4 to 1f, 1 to 0.6f, 0 to 0f),
            found.map { it.index to it.cosine })
        assertEquals("sea bread", found[2].line)
    }

    @Test
    fun aLineIsReadOnce() {
        search("sea", "bread", "sea", "sea")
        assertEquals(3, runner.calls.size)
        val seen = ArrayList<Pair<Int, Int>>()
        searcher.run(Search("bread", listOf("sea", "sea bread"))) { window, count ->
            seen.add(Pair(window, count))
        }
        assertEquals(listOf(1 to 2, 2 to 2), seen)
        assertEquals(5, runner.calls.size)
    }

    @Test
    fun tellsHowManyTextsWereCut() {
        // The model reads [CLS], four tokens and [SEP].
        fun cut(query: String, vararg lines: String) =
            assertIs<Outcome.Matches>(searcher.run(Search(query, lines.toList())))
                .let { it.cutLines to it.isQueryCut }
        val long = "sea ".repeat(5)
        assertEquals(0 to false, cut("sea ".repeat(4), "sea ".repeat(4)))
        assertEquals(2 to false, cut("sea", long, "sea", long))
        // The lines were read before.
        assertEquals(2 to true, cut(long, long, "sea", long))
    }

    @Test
    fun saysWhatCannotBeDone() {
        assertIs<Problem.NoText>(assertFailsWith<ModelException> { search("sea", " ") }.problem)
        // A vector of nothing but zeros has no direction.
        assertFailsWith<ModelException> { search("ship", "sea") }
    }
}
