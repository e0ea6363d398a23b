package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertTrue

/** Measures the tokenizer's speed on this machine, beside whatever else runs. */
class SpeedTest {
    private fun <T> seconds(work: () -> T): Pair<T, Double> {
        val start = System.nanoTime()
        val result = work()
        return Pair(result, (System.nanoTime() - start) / 1e9)
    }

    private fun median(measure: () -> Double) = List(9) { measure() }.sorted()[4]

    @Test
    fun charactersASecondAndTheTimeToLoad() {
        val (table, first) = seconds { Cases.table("squad/lower_case.txt") }
        val again = median { seconds { Cases.table("squad/lower_case.txt") }.second }
        val (vocabulary, vocabularyTime) = seconds { Cases.vocabulary("squad/vocab.txt") }
        val tokenizer = BertTokenizer(vocabulary, table)
        val passages =
            Cases.json("squad/cases.json")["cases"].asObjects().map { it["passage"] as String }
        val characters = passages.sumOf { it.length }
        fun pass() = seconds { passages.forEach { tokenizer.tokenize(it) } }.second
        val cold = pass()
        repeat(5) { pass() }
        val warm = median { pass() }
        Cases.measured("normalization table read in %.1f ms at first, then %.1f ms"
            .format(first * 1e3, again * 1e3))
        Cases.measured("vocabulary of %,d pieces read in %.1f ms"
            .format(vocabulary.pieces.size, vocabularyTime * 1e3))
        Cases.measured("tokenizer: %,.0f characters/s at first, then %,.0f; %,d of %d passages"
            .format(characters / cold, characters / warm, characters, passages.size))
        assertTrue(characters / warm > 20_000)
    }
}
