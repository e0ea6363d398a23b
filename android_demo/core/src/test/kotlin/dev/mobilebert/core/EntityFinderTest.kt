package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue

class EntityFinderTest {
    private val tokenizer = Golden.small("anna", "lund", "in", "'", "s", "##a")
    private val labels = listOf("O", "B-PER", "I-PER", "I-LOC")

    /** Gives each id of a token a tag by number; 9 to 0 logits. */
    private fun finder(vararg tags: Pair<Int, Int>, length: Int = 16): EntityFinder {
        val byId = tags.toMap()
        return EntityFinder(spec("tagging", "\"logits\": {}", listOf(length),
            labels.joinToString(prefix = "[", postfix = "]") { "\"$it\"" }), tokenizer,
            FakeRunner { inputs ->
                val ids = inputs.getValue("ids")
                val logits = FloatArray(ids.size * labels.size)
                ids.forEachIndexed { token, id ->
                    logits[token * labels.size + (byId[id] ?: 0)] = 9f
                }
                mapOf("logits" to logits)
            })
    }

    private fun find(finder: EntityFinder, text: String) =
        assertIs<Outcome.Entities>(finder.run(text)).entities

    @Test
    fun aSecondNameContinuesTheEntityAndAClitcIsItsOwnWord() {
        val (entity) = find(finder(5 to 1, 6 to 2), "In Anna Lund's in")
        assertEquals(listOf("PER", "Anna Lund", 3, 12),
            listOf(entity.type, entity.text, entity.start, entity.end))
        // e^9 of e^9 + 3.
        assertEquals(0.99963, entity.probability, 1e-5)
    }

    @Test
    fun anInnerTagOfAnotherTypeBeginsAnEntity() {
        val found = find(finder(5 to 1, 6 to 3), "Anna Lund Anna")
        assertEquals(listOf("PER" to "Anna", "LOC" to "Lund", "PER" to "Anna"),
            found.map { it.type to it.text })
    }

    @Test
    fun everyWindowIsReadAndAnnounced() {
        val seen = ArrayList<Pair<Int, Int>>()
        val outcome = finder(5 to 1, length = 4)
            .run("in in anna in anna") { window, count -> seen.add(Pair(window, count)) }
        assertEquals(listOf(1 to 3, 2 to 3, 3 to 3), seen)
        assertEquals(listOf(6, 14), assertIs<Outcome.Entities>(outcome).entities.map { it.start })
    }

    @Test
    fun saysWhatCannotBeDone() {
        assertIs<Problem.NoText>(
            assertFailsWith<ModelException> { finder().run(" \n") }.problem)
        val labelled = spec("tagging", "\"logits\": {}", labels = "[\"good\", \"O\"]")
        assertContains(assertFailsWith<ModelException> {
            EntityFinder(labelled, tokenizer, FakeRunner { emptyMap() })
        }.message!!, "labels are good, O")
        assertFailsWith<ModelException> {
            EntityFinder(spec("tagging", "\"logits\": {}", labels = "[\"O\"]"), tokenizer,
                FakeRunner { mapOf("logits" to FloatArray(1)) }).run("anna")
        }
    }

    /** The ends of the words are Python's, in UTF-16. */
    @Test
    fun halfAPairIsNoPartOfAnother() {
        val ends = mapOf(
            "\uD800\uD800\uDD52" to listOf(1, 3),
            "\uD800\uD800\uD800\uDD52" to listOf(2, 4),
            "\uD800\uDD52\uD800\uDD52" to listOf(4),
            "\uDD52\uDD52" to listOf(2),
            "a\uD800\uD801" to listOf(1, 2, 3),
            "!!\uDC00" to listOf(2, 3),
        )
        for ((text, expected) in ends) {
            assertEquals(expected, WordSplitter.split(text).map { it.end })
        }
    }

    @Test
    fun oneLongWordTakesNoStack() {
        for (part in listOf("a", "a-", "a.", "!", "a,", "1,", "中", "\uD83C\uDF89")) {
            val text = part.repeat(500_000)
            assertTrue(WordSplitter.split(text).last().end == text.length)
        }
    }
}
