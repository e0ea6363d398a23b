package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertTrue

/** How fast the tokenizer is on this machine, with whatever else runs on it. */
class SpeedTest {
    private fun <T> seconds(work: () -> T): Pair<T, Double> {
        val start = System.nanoTime()
        val result = work()
        return Pair(result, (System.nanoTime() - start) / 1e9)
    }

    @Test
    fun charactersASecondAndTheTimeToLoad() {
        val (table, first) = seconds { Cases.table("squad/lower_case.txt") }
        val again = (1..9).map { seconds { Cases.table("squad/lower_case.txt") }.second }.sorted()[4]
        val (vocabulary, vocabularyTime) = seconds { Cases.vocabulary("squad/vocab.txt") }
        val tokenizer = BertTokenizer(vocabulary, table)
        val passages = Cases.json("squad/cases.json")["cases"].asObjects().map { it["passage"] as String }
        val characters = passages.sumOf { it.length }
        fun pass() = seconds { passages.forEach { tokenizer.tokenize(it) } }.second
        val cold = pass()
        repeat(5) { pass() }
        val warm = (1..9).map { pass() }.sorted()[4]
        Cases.measured("normalization table read in %.1f ms at first, then %.1f ms; vocabulary of %d in %.1f ms"
            .format(first * 1e3, again * 1e3, vocabulary.pieces.size, vocabularyTime * 1e3))
        Cases.measured("tokenizer: %,.0f characters/s cold, %,.0f warm (%,d characters of %d passages)"
            .format(characters / cold, characters / warm, characters, passages.size))
        assertTrue(characters / warm > 20_000)
    }
}
