package dev.mobilebert.core

import java.io.FileInputStream
import kotlin.math.abs
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** Compares answers from real .tflite files with those of `mobilebert predict`. */
class EndToEndTest {
    /** Keeps the model's outputs. */
    private class Recorder(private val runner: TensorRunner) : TensorRunner by runner {
        val signatures = ArrayList<String>()
        val outputs = ArrayList<Map<String, FloatArray>>()

        override fun run(signature: String, inputs: Map<String, IntArray>) =
            runner.run(signature, inputs).also {
                signatures.add(signature)
                outputs.add(it)
            }
    }

    private fun recorder(folder: String) =
        Recorder(LiteRtRunner(Cases.file("$folder/model.tflite").path))

    private fun files(folder: String) =
        ModelFiles.read { FileInputStream(Cases.file("$folder/$it")) }

    private fun worst(expected: FloatArray, found: FloatArray): Float {
        assertEquals(expected.size, found.size)
        return expected.indices.maxOf { abs(expected[it] - found[it]) }
    }

    @Test
    fun classesAreThoseOfPredict() =
        assertClassifiesAlike("text_classification", setOf("length_16", "length_48"))

    @Test
    fun answersAreThoseOfPredict() =
        assertAnswersAlike("question_answering", setOf("length_32", "length_96"))

    @Test
    fun shippedModelsDoAsPredictDoes() {
        assertClassifiesAlike("shipped/text_classification", setOf("serving_default"))
        assertAnswersAlike("shipped/question_answering", setOf("serving_default"))
        assertFindsAlike("shipped/tagging")
        assertSearchesAlike("shipped/text_embedding")
        assertChoosesAlike("own/multi_label")
    }

    @Test
    fun theSettingsInModelJsonAreThoseOfPredict() =
        assertAnswersAlike("other_settings/question_answering", setOf("length_32", "length_96"))

    private fun assertClassifiesAlike(folder: String, signatures: Set<String>) {
        val recorder = recorder(folder)
        val files = files(folder)
        var worst = 0f
        TextClassifier(files.spec, files.tokenizer, recorder).use { classifier ->
            for (case in Cases.json("$folder/cases.json")["cases"].asObjects()) {
                val text = Text(case["text"] as String, case["second_text"] as String?)
                val found = assertIs<Outcome.Classes>(classifier.run(text))
                val expected = case["classes"].asObjects()
                assertEquals(expected.map { it["label"] }, found.classes.map { it.label },
                    text.text)
                assertEquals(case["truncated"], found.isCut)
                worst = maxOf(worst, worst(expected.map { it["probability"] }.asFloats(),
                    found.classes.map { it.probability }.toFloatArray()))
            }
        }
        Cases.measured("$folder: ${recorder.outputs.size} texts, classes equal, " +
            "probabilities within $worst")
        assertTrue(worst < 1e-5f)
        assertEquals(signatures, recorder.signatures.toSet())
    }

    private fun assertAnswersAlike(folder: String, signatures: Set<String>) {
        val recorder = recorder(folder)
        val files = files(folder)
        var worst = 0f
        var latency: Latency? = null
        var unanswered = 0
        QuestionAnswerer(files.spec, files.tokenizer, recorder).use { answerer ->
            for (case in Cases.json("$folder/cases.json")["cases"].asObjects()) {
                recorder.outputs.clear()
                val question = Question(case["question"] as String, case["passage"] as String)
                val outcome = answerer.run(question)
                if (case["answer"] == "") {
                    unanswered++
                    val none = assertIs<Outcome.NoAnswer>(outcome)
                    assertEquals(case["null_odds"] as Double, none.nullOdds, 1e-4)
                    assertSpansAlike(case, none.alternatives)
                    assertEquals(case["truncated"], none.isCut)
                    worst = maxOf(worst, worstLogit(case, recorder.outputs))
                    continue
                }
                val answer = assertIs<Outcome.Answer>(outcome)
                val expected = listOf(case["answer"], case.int("start"), case.int("end"))
                assertEquals(expected, answer.best.let { listOf(it.text, it.start, it.end) },
                    question.question)
                assertEquals(answer.best.text,
                    question.passage.substring(answer.best.start, answer.best.end))
                assertEquals(case["null_odds"] as Double, answer.nullOdds, 1e-4)
                assertSpansAlike(case, answer.alternatives)
                assertEquals(case["truncated"], answer.isCut)
                worst = maxOf(worst, worstLogit(case, recorder.outputs))
                latency = answer.latency
            }
        }
        Cases.measured("$folder: answers equal, $unanswered of them none, logits within $worst; on this " +
            "computer's CPU, with what else runs on it, %.1f ms first, %.1f ms median"
                .format(latency?.first, latency?.median))
        assertTrue(worst < 1e-4f)
        assertEquals(signatures, recorder.signatures.toSet())
    }

    private fun assertSpansAlike(case: Map<*, *>, found: List<Span>) {
        val expected = case["answers"].asObjects()
        assertEquals(expected.map { it["text"] }, found.take(expected.size).map { it.text })
        for ((one, span) in expected zip found) {
            assertEquals(one["probability"] as Double, span.probability, 1e-4)
        }
    }

    private fun assertFindsAlike(folder: String) {
        val files = files(folder)
        var count = 0
        EntityFinder(files.spec, files.tokenizer, recorder(folder)).use { finder ->
            for (case in Cases.json("$folder/cases.json")["cases"].asObjects()) {
                val found = assertIs<Outcome.Entities>(finder.run(case["text"] as String)).entities
                val expected = case["entities"].asObjects()
                assertEquals(expected.map {
                    listOf(it["type"], it["text"], it.int("start"), it.int("end"))
                }, found.map { listOf(it.type, it.text, it.start, it.end) })
                for ((one, other) in expected zip found) {
                    assertEquals(one["probability"] as Double, other.probability, 1e-5)
                }
                count += found.size
            }
        }
        Cases.measured("$folder: $count entities equal")
        assertTrue(count > 3)
    }

    private fun assertChoosesAlike(folder: String) {
        val files = files(folder)
        var count = 0
        LabelChooser(files.spec, files.tokenizer, recorder(folder)).use { chooser ->
            for (case in Cases.json("$folder/cases.json")["cases"].asObjects()) {
                val text = case["text"] as String
                val found = assertIs<Outcome.Labels>(chooser.run(Text(text)))
                assertEquals((case["labels"] as List<*>).toSet(), found.labels.toSet(), text)
                val expected = case["classes"].asObjects()
                assertEquals(expected.map { it["label"] }, found.classes.map { it.label }, text)
                assertTrue(1e-5f > worst(expected.map { it["probability"] }.asFloats(),
                    found.classes.map { it.probability }.toFloatArray()))
                assertEquals(case["truncated"], found.isCut)
                count += found.labels.size
            }
        }
        Cases.measured("$folder: $count labels equal")
        assertTrue(count > 2)
    }

    private fun assertSearchesAlike(folder: String) {
        val files = files(folder)
        val case = Cases.json("$folder/cases.json")
        val lines = (case["lines"] as List<*>).map { it as String }
        LineSearcher(files.spec, files.tokenizer, recorder(folder)).use { searcher ->
            val outcome = searcher.run(Search(case["query"] as String, lines))
            val found = assertIs<Outcome.Matches>(outcome).matches.sortedBy { it.index }
            val expected = case["cosines"].asFloats()
            assertEquals(expected.size, found.size)
            for ((cosine, match) in expected.toList() zip found) {
                assertEquals(cosine, match.cosine, 1e-5f)
            }
            assertTrue(expected.toSet().size > 2)
        }
        Cases.measured("$folder: ${lines.size} lines, cosines equal")
    }

    private fun worstLogit(case: Map<*, *>, outputs: List<Map<String, FloatArray>>): Float {
        val expected = case["windows"].asObjects()
        assertEquals(expected.size, outputs.size)
        return expected.indices.maxOf { window ->
            listOf("start_logits", "end_logits").maxOf {
                worst(expected[window][it].asFloats(), outputs[window].getValue(it))
            }
        }
    }

    @Test
    fun aFileThatIsNoModelIsRefused() {
        val path = Cases.file("text_classification/vocab.txt").path
        assertFailsWith<IllegalStateException> { LiteRtRunner(path) }
        assertFailsWith<IllegalStateException> { LiteRtRunner("no such file") }
    }
}
