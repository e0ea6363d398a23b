package dev.mobilebert.core

import kotlin.math.exp
import kotlin.test.Test
import kotlin.test.assertContentEquals
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** Compares every number with Python's results, which android_demo/checks makes in each run. */
class PythonParityTest {
    private fun assertTokenizesAlike(lowerCase: Boolean) {
        val name = if (lowerCase) "random/lower_case" else "random/cased"
        val cases = Cases.json("$name.json")["cases"].asObjects()
        assertEquals(10_000, cases.size)
        val tokenizer =
            BertTokenizer(Cases.vocabulary("random/vocab.txt"), Cases.table("$name.txt"))
        for (case in cases) {
            val text = case["text"] as String
            val tokens = tokenizer.tokenize(text)
            val message = text.map { "%04x".format(it.code) }.joinToString(" ")
            assertEquals(case["ids"].asInts(), tokens.ids.toList(), message)
            assertEquals(case["starts"].asInts(), tokens.starts.toList(), message)
            assertEquals(case["ends"].asInts(), tokens.ends.toList(), message)
        }
        // Most pieces must not be unknown.
        val known = cases.sumOf { case -> case["ids"].asInts().count { it > 4 } }
        Cases.measured("${cases.size} random texts, $known known pieces, " +
            "lower_case $lowerCase: ids and places equal")
        assertTrue(known > 10_000)
    }

    @Test
    fun randomUnicodeLowerCased() = assertTokenizesAlike(true)

    @Test
    fun randomUnicodeCased() = assertTokenizesAlike(false)

    /** The settings that Python used for the case, as in a `model.json`. */
    private fun settings(case: Map<*, *>) =
        QuestionSettings.read(JsonObject(case, "cases.json").objectAt("settings"))

    @Test
    fun windowsAndAnswersOfRealPassages() {
        val file = Cases.json("squad/cases.json")
        val tokenizer = BertTokenizer(Cases.vocabulary("squad/vocab.txt"),
            Cases.table("squad/lower_case.txt"))
        val cases = file["cases"].asObjects()
        var count = 0
        for (case in cases) {
            val question = Question(case["question"] as String, case["passage"] as String)
            val windows = FeatureBuilder(tokenizer, case.int("length"), settings(case))
                .windows(question.question, question.passage)
            val expected = case["windows"].asObjects()
            assertEquals(expected.map { window ->
                listOf("ids", "starts", "ends", "words").map { window[it].asInts() } +
                    listOf(window.int("first_length"), window["is_max_context"])
            }, windows.map { window ->
                listOf(window.ids, window.starts, window.ends, window.words).map { it.toList() } +
                    listOf(window.firstLength, window.isMaxContext.toList())
            }, question.question)
            assertDecodesAlike(case, question.passage, windows)
            count += windows.size
        }
        Cases.measured("${cases.size} questions of ${file["source"]}, " +
            "$count windows: features and answers equal")
        assertTrue(cases.isNotEmpty() && count > cases.size, "no passage has several windows")
        assertTrue(cases.map { settings(it) }.toSet().size > 2, "all have the same settings")
    }

    private fun assertDecodesAlike(case: Map<*, *>, passage: String, windows: List<Window>) {
        val logits = case["windows"].asObjects()
        val decoded = SpanDecoder(settings(case)).decode(passage, windows,
            logits.map { it["start_logits"].asFloats() },
            logits.map { it["end_logits"].asFloats() })
        val spans = case["spans"].asObjects()
        assertEquals(spans.map { listOf(it["text"], it.int("start"), it.int("end"), it["score"]) },
            decoded.spans.map { listOf(it.text, it.start, it.end, it.score) })
        assertEquals(case["null_odds"], decoded.nullOdds)
        // `probability` of the file is among the n best; a total is missing if no span is possible.
        val logTotal = case["log_total"] as Double? ?: 0.0
        assertContentEquals(spans.map { Math.round(exp((it["score"] as Double) - logTotal) * 1e9) },
            decoded.spans.map { Math.round(it.probability * 1e9) })
    }
}
