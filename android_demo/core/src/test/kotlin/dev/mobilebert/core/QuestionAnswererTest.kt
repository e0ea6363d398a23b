package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertIs
import kotlin.test.assertTrue

internal const val SPAN_OUTPUTS = "\"start_logits\": {}, \"end_logits\": {}"

class QuestionAnswererTest {
    private val tokenizer = Golden.small("who", "is", "in", "it", "anna", "?")
    private val anna = 9

    private val spec = spec("question_answering", SPAN_OUTPUTS, listOf(12, 24))

    private fun engine(runner: TensorRunner, threshold: Double = 1e9) =
        QuestionAnswerer(spec, tokenizer, runner, QuestionSettings(nullThreshold = threshold))

    private fun answer(runner: TensorRunner, passage: String) =
        assertIs<Outcome.Answer>(engine(runner).run(Question("who is it?", passage)))

    @Test
    fun aShortPassageRunsTheShortestSignature() {
        val runner = pointingAt(anna)
        val answer = answer(runner, "in it is Ánna")
        assertEquals(listOf("Ánna", 9, 13), answer.best.let { listOf(it.text, it.start, it.end) })
        // [CLS] who is it ? [SEP] in it is anna [SEP]: 11 of 12, one for padding.
        val (signature, inputs) = runner.calls.single()
        assertEquals("length_12", signature)
        assertEquals(listOf(2, 5, 6, 8, 10, 3, 7, 8, 6, 9, 3, 0), inputs.getValue("ids").toList())
        assertEquals(listOf(0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 0),
            inputs.getValue("segment_ids").toList())
        assertEquals(listOf(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0), inputs.getValue("mask").toList())
        answer(runner, "in it is Anna it")
        assertEquals("length_24", runner.calls.last().first)
    }

    @Test
    fun theAnswerIsPointedAtWhereItStandsAndNotAtAnEqualString() {
        // Found by its text it would be the first of both; the second is in another window.
        val passage = "anna " + "in ".repeat(30) + "it is anna is in"
        val second = passage.lastIndexOf("anna")
        val runner = FakeRunner { inputs ->
            val ids = inputs.getValue("ids")
            val logits = FloatArray(ids.size) {
                if (ids[it] == anna && ids[it - 1] == 6) 9f else 0f
            }
            mapOf("start_logits" to logits, "end_logits" to logits)
        }
        val answer = answer(runner, passage)
        assertEquals(listOf("anna", second, second + 4),
            answer.best.let { listOf(it.text, it.start, it.end) })
    }

    @Test
    fun theSettingsOfTheModelCount() {
        val strict = ModelSpec.read(stream("""{"kind": "question_answering", "lengths": [24],
            "lower_case": true, "signatures": {"24": "only"}, "outputs": {$SPAN_OUTPUTS},
            "settings": {"null_threshold": -99},
            "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}}"""))
        assertIs<Outcome.NoAnswer>(QuestionAnswerer(strict, tokenizer, pointingAt(anna))
            .run(Question("who is it?", "it is Anna")))
    }

    @Test
    fun aLongPassageRunsInWindowsThatAreCounted() {
        val passage = "in it is ".repeat(1666) + "Anna is"
        val seen = ArrayList<Pair<Int, Int>>()
        val runner = pointingAt(anna)
        val outcome = engine(runner).run(Question("who?", passage)) { window, count ->
            assertEquals(window - 1, runner.calls.size)
            seen.add(Pair(window, count))
        }
        assertEquals((1..runner.calls.size).map { Pair(it, runner.calls.size) }, seen)
        assertTrue(seen.size > 250)
        assertEquals(passage.length - 7, assertIs<Outcome.Answer>(outcome).best.start)
        assertTrue(outcome.latency!!.median!! >= 0)
    }

    @Test
    fun noAnswerIsOneToo() {
        val unsure = FakeRunner { inputs ->
            val logits = FloatArray(inputs.getValue("ids").size).also { it[0] = 1f }
            mapOf("start_logits" to logits, "end_logits" to logits)
        }
        val engine = engine(unsure, threshold = 1.5)
        val none = assertIs<Outcome.NoAnswer>(engine.run(Question("who?", "it")))
        assertEquals(2.0, none.nullOdds)
        assertEquals(listOf("it"), none.alternatives.map { it.text })
        assertIs<Outcome.Answer>(engine(unsure, threshold = 2.0).run(Question("who?", "it")))
    }

    @Test
    fun tellsWhetherTheQuestionWasCut() {
        fun cut(question: String, threshold: Double) = QuestionAnswerer(spec, tokenizer,
            pointingAt(anna), QuestionSettings(maxQuestionLength = 3, nullThreshold = threshold))
            .run(Question(question, "it is Anna"))
        assertFalse(assertIs<Outcome.Answer>(cut("who is it", 1e9)).isCut)
        assertTrue(assertIs<Outcome.Answer>(cut("who is it?", 1e9)).isCut)
        assertFalse(assertIs<Outcome.NoAnswer>(cut("who is it", -1e9)).isCut)
        assertTrue(assertIs<Outcome.NoAnswer>(cut("who is it?", -1e9)).isCut)
    }

    @Test
    fun saysWhatCannotBeDone() {
        fun message(work: () -> Unit) = assertFailsWith<ModelException> { work() }.message!!
        assertContains(message { engine(pointingAt(1)).run(Question("who?", " \u0000")) },
            "no text to look in")
        assertContains(message { engine(FakeRunner { emptyMap() }).run(Question("who?", "it")) },
            "has no start_logits, end_logits")
        val wrong = spec("classification", "\"probabilities\": {}")
        assertContains(message { QuestionAnswerer(wrong, tokenizer, pointingAt(1)) },
            "is one for classification, and one for question_answering is needed")
        val labels = ModelSpec.read(stream("""{"kind": "multi_label", "lengths": [8],
            "lower_case": true, "signatures": {"8": "only"}, "settings": {"threshold": 0.5},
            "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}, "outputs": {}}"""))
        assertContains(message { QuestionAnswerer(labels, tokenizer, pointingAt(1)) },
            "is one for multi_label")
        assertContains(message {
            QuestionAnswerer(spec("question_answering", "\"start_logits\": {}"), tokenizer,
                pointingAt(1))
        }, "does not give end_logits")
    }

    @Test
    fun closesTheModel() {
        val runner = pointingAt(anna)
        engine(runner).close()
        assertTrue(runner.isClosed)
    }
}
