package dev.mobilebert.core

import kotlin.math.exp
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

class SpanDecoderTest {
    private val passage = "ab cd ef gh ab"

    /** [CLS] ? [SEP], words of two letters, [SEP]. */
    private fun window(
        tokens: Int,
        first: Int = 0,
        isMax: BooleanArray = BooleanArray(tokens) { true },
    ) = Window(
        ids = IntArray(tokens + 4) { it },
        firstLength = 3,
        starts = IntArray(tokens) { 3 * (first + it) },
        ends = IntArray(tokens) { 3 * (first + it) + 2 },
        words = IntArray(tokens) { first + it },
        isMaxContext = isMax,
    )

    private fun decode(
        start: FloatArray,
        end: FloatArray,
        window: Window,
        decoder: SpanDecoder = SpanDecoder(),
    ) = decoder.decode(passage, listOf(window), listOf(start), listOf(end))

    private fun SpanDecoder.Decoded.texts() = spans.map { it.text }

    // [CLS] ? [SEP] ab cd ef [SEP], and padding, which must not count.
    private val start = floatArrayOf(0.5f, 9f, 9f, 1f, 3f, 2f, 9f, 99f)
    private val end = floatArrayOf(0.25f, 9f, 9f, 4f, 1f, 2f, 9f, 99f)

    @Test
    fun theBestSpansByHand() {
        val decoded = decode(start, end, window(3))
        // In order, a tie as the starts rank: cd..ef 5, ab 5, ef 4, cd 4, ab..ef 3, ab..cd 2.
        assertEquals(listOf("cd ef", "ab", "cd", "ef", "ab cd ef", "ab cd"), decoded.texts())
        assertEquals(listOf(5.0, 5.0, 4.0, 4.0, 3.0, 2.0), decoded.spans.map { it.score })
        assertEquals(listOf(3, 8), decoded.spans[0].let { listOf(it.start, it.end) })
        // e^0 of 2 e^0 + 2 e^-1 + e^-2 + e^-3; with "no answer", e^(0.75 - 5) more.
        assertEquals(0.342362, decoded.spans[0].probability, 1e-6)
        val withNull = decode(start, end, window(3), SpanDecoder(QuestionSettings(nullThreshold = 0.0)))
        assertEquals(0.340699, withNull.spans[0].probability, 1e-6)
        assertEquals(0.75, decoded.nullScore)
        assertEquals(-4.25, decoded.nullOdds)
    }

    @Test
    fun aProbabilityIsAmongAllSpansAndNotOnlyTheBest() {
        // Of nothing but zeros all six spans are alike, and one has its start and end among the best.
        val zeros = FloatArray(7)
        val few = SpanDecoder(QuestionSettings(nBest = 4))
        val (one) = decode(zeros, zeros, window(3), few).spans
        assertEquals(1.0 / 6, one.probability, 1e-12)
        val short = SpanDecoder(QuestionSettings(nBest = 4, maxAnswerLength = 1))
        assertEquals(1.0 / 3, decode(zeros, zeros, window(3), short).spans[0].probability, 1e-12)
    }

    @Test
    fun accentsAfterTheLastLetterAreKeptThoughTheyHaveNoToken() {
        val logits = listOf(floatArrayOf(0f, 0f, 0f, 0f, 4f, 0f, 0f))
        val found = listOf("ab cd\u0301\uD802\uDE01 ef", "ab cd\u0301", "ab cd\u0903 ef").map {
            SpanDecoder().decode(it, listOf(window(2)), logits, logits).spans[0]
        }
        assertEquals(listOf("cd\u0301\uD802\uDE01", "cd\u0301", "cd"), found.map { it.text })
        assertEquals(listOf(8, 6, 5), found.map { it.end })
    }

    @Test
    fun answersAreShortAndStartWhereContextIsMost() {
        assertEquals(listOf("ab", "cd", "ef"), decode(start, end, window(3),
            SpanDecoder(QuestionSettings(maxAnswerLength = 1))).texts())
        val flags = booleanArrayOf(true, false, false)
        assertEquals(listOf("ab", "ab cd ef", "ab cd"),
            decode(start, end, window(3, isMax = flags)).texts())
        // "ab" is not among the five highest starts, "cd" not among the ends.
        assertEquals(listOf("cd ef", "ef"), decode(start, end, window(3),
            SpanDecoder(QuestionSettings(nBest = 5))).texts())
        // The three highest starts and ends are not in the passage.
        assertEquals(emptyList(), decode(start, end, window(3),
            SpanDecoder(QuestionSettings(nBest = 3))).texts())
    }

    @Test
    fun zerosOfBothSignsAreEqual() {
        // For compareTo 0.0 is greater than -0.0, and "cd" would be before "ab".
        val start = floatArrayOf(-1f, -1f, -1f, -0f, 0f, -1f, -1f)
        val end = floatArrayOf(-1f, -1f, -1f, 0f, 0f, -1f, -1f)
        assertEquals("ab", decode(start, end, window(3)).texts().first())
    }

    @Test
    fun theSameTextTwiceIsTheBetterOfThem() {
        // ab cd ef gh ab: the second "ab" is the better one.
        val start = floatArrayOf(0f, 0f, 0f, 4f, 0f, 0f, 0f, 5f, 0f)
        val end = floatArrayOf(0f, 0f, 0f, 4f, 0f, 0f, 0f, 5f, 0f)
        val best = decode(start, end, window(5)).spans[0]
        assertEquals(listOf("ab", 12, 14), best.let { listOf(it.text, it.start, it.end) })
        assertEquals(1, decode(start, end, window(5)).texts().count { it == "ab" })
    }

    @Test
    fun theNullScoreIsTheLeastOfAllWindows() {
        val decoded = SpanDecoder().decode(passage, listOf(window(3), window(2, first = 3)),
            listOf(start, floatArrayOf(-1f, 0f, 0f, 0f, 0f, 0f)),
            listOf(end, floatArrayOf(-2f, 0f, 0f, 7f, 0f, 0f)))
        assertEquals(-3.0, decoded.nullScore)
        assertEquals(listOf("gh", 9, 11),
            decoded.spans[0].let { listOf(it.text, it.start, it.end) })
        assertEquals(-10.0, decoded.nullOdds)
    }

    @Test
    fun givesTheAnswersOfGooglesRunSquad() {
        val golden = Golden.json("google_squad.json")["decoding"] as Map<*, *>
        val decoder = SpanDecoder(QuestionSettings(
            nBest = golden.int("n_best"), maxAnswerLength = golden.int("max_answer_length")))
        val builder = builder(golden["setting"] as Map<*, *>)
        var unequal = 0
        val odds = golden["with_null null_odds"] as Map<*, *>
        for ((id, rows) in golden["logits"] as Map<*, *>) {
            val question = goldenQuestions.getValue(id as String)
            val windows = builder.windows(question.question, question.passage)
            val logits = (rows as List<*>).map { row -> (row as List<*>).map { it.asFloats() } }
            val decoded = decoder.decode(question.passage, windows, logits.map { it[0] },
                logits.map { it[1] })
            val expected = (golden["without_null n_best"] as Map<*, *>)[id].asObjects()
            // There the logits are float64, so that of equal scores others come first.
            assertEquals(odds[id] as Double, decoded.nullOdds, 1e-5, id)
            val scores = expected.map {
                (it["start_logit"] as Double) + (it["end_logit"] as Double)
            }
            assertEquals(scores[0], decoded.spans[0].score, 1e-5, id)
            // In the other passages run_squad.py often takes whole words instead.
            if ("ferry" in question.passage) {
                assertEquals(scores.size, decoded.spans.size)
                scores.zip(decoded.spans) { score, span ->
                    assertEquals(score, span.score, 1e-5, id)
                }
                // There a probability is among the n best.
                val total = decoded.spans.sumOf { exp(it.score) }
                expected.zip(decoded.spans) { one, span ->
                    assertEquals(one["probability"] as Double, exp(span.score) / total, 1e-5, id)
                }
                if (scores[0] > scores[1] + 1e-5) {
                    assertEquals(expected[0]["text"], decoded.spans[0].text, id)
                    unequal++
                }
            }
        }
        assertTrue(unequal > 3)
    }

    @Test
    fun numbersThatAreNoneAreRefused() {
        assertFailsWith<ModelException> { decode(start.copyOf(6), end, window(3)) }
        val notFinite = end.copyOf().also { it[1] = Float.NaN }
        assertFailsWith<ModelException> { decode(start, notFinite, window(3)) }
        val padding = end.copyOf().also { it[7] = Float.NaN }
        assertTrue(decode(start, padding, window(3)).spans.isNotEmpty())
        val nothing = SpanDecoder().decode("", emptyList(), emptyList(), emptyList())
        assertEquals(Pair(0, 1e6), Pair(nothing.spans.size, nothing.nullOdds))
    }
}
