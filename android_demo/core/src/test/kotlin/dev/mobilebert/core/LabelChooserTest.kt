package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue

class LabelChooserTest {
    private val runner = FakeRunner { mapOf("probabilities" to floatArrayOf(0.1f, 0.625f, 0.5f)) }

    private fun chooser(settings: String) = LabelChooser(
        spec("multi_label", "\"probabilities\": {}", listOf(6, 10), "[\"a\", \"b\", \"c\"]",
            settings), Golden.small("good"), runner)

    private fun choose(settings: String, text: Text = Text("good")) =
        assertIs<Outcome.Labels>(chooser(settings).run(text))

    private fun chosen(settings: String) = choose(settings).labels

    @Test
    fun aLabelsProbabilityIsAboveTheThreshold() {
        assertEquals(listOf("b"), chosen("null"))
        assertEquals(listOf("b"), chosen("{}"))
        assertEquals(listOf("b", "c"), chosen("{\"threshold\": 0.2}"))
        assertEquals(listOf(), chosen("{\"threshold\": 0.625}"))
        assertEquals(listOf("b", "c", "a"), chosen("{\"threshold\": 0}"))
        // In double precision, the probability is above it; for Python it is not.
        assertEquals(listOf("b", "c"), chosen("{\"threshold\": 0.1}"))
    }

    @Test
    fun allLabelsHaveTheirProbabilities() {
        val found = choose("{\"threshold\": 1}", Text("good ".repeat(9), "good"))
        assertEquals(listOf("b" to 0.625f, "c" to 0.5f, "a" to 0.1f),
            found.classes.map { it.label to it.probability })
        assertTrue(found.isCut)
        assertEquals("length_10", runner.calls.last().first)
        assertEquals(0.5, chooser("null").threshold)
    }

    @Test
    fun settingsThatMeanNothingAndOtherKindsAreRefused() {
        for ((settings, message) in listOf(
            "{\"threshold\": 2}" to "\"threshold\" should be a number from 0.0 to 1.0",
            "{\"threshold\": null}" to "\"threshold\" should be a number from",
            "{\"stride\": 2}" to "\"stride\" is not one of threshold",
        )) {
            assertContains(assertFailsWith<ModelException> { chooser(settings) }.message!!, message)
        }
        val other = spec("classification", "\"probabilities\": {}")
        val error = assertFailsWith<ModelException> { LabelChooser(other, Golden.small(), runner) }
        assertEquals(Problem.WrongKind("classification", "multi_label"), error.problem)
    }
}
