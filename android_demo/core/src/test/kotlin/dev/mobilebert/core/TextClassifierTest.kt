package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertIs
import kotlin.test.assertTrue

class TextClassifierTest {
    private val tokenizer = Golden.small("good", "bad")
    private val runner = FakeRunner { inputs ->
        val good = inputs.getValue("ids").count { it == 5 } / 100f
        mapOf("probabilities" to floatArrayOf(1 - good, good))
    }
    private val classifier = TextClassifier(
        spec("classification", "\"probabilities\": {}", listOf(6, 10),
            "[\"no\", \"yes\"]"), tokenizer, runner)

    private fun classify(text: String, secondText: String? = null) =
        assertIs<Outcome.Classes>(classifier.run(Text(text, secondText)))

    @Test
    fun namesTheClassesAndRunsTheShortestSignature() {
        assertEquals(listOf("no" to 0.98f, "yes" to 0.02f),
            classify("good bad good").classes.map { it.label to it.probability })
        assertEquals("length_6", runner.calls.last().first)
        classify("good bad good bad")
        assertEquals("length_10", runner.calls.last().first)
        classify("bad")
        assertEquals(listOf(2, 6, 3, 0, 0, 0), runner.calls.last().second.getValue("ids").toList())
    }

    @Test
    fun saysWhetherTheTextWasCut() {
        assertFalse(classify("good ".repeat(8)).isCut)
        val cut = classify("good ".repeat(9))
        assertTrue(cut.isCut)
        assertEquals(0.08f, cut.classes.last().probability)
        assertFalse(classify("bad bad bad", "bad bad bad bad").isCut)
        assertTrue(classify("bad bad bad", "bad bad bad bad bad").isCut)
        // [CLS] bad bad bad [SEP] bad bad bad bad [SEP]
        assertEquals(listOf(0, 0, 0, 0, 0, 1, 1, 1, 1, 1),
            runner.calls.last().second.getValue("segment_ids").toList())
    }
}
