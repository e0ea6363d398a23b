package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNull

internal fun spec(
    kind: String,
    outputs: String,
    lengths: List<Int> = listOf(8, 16),
    labels: String = "null",
    settings: String = "null",
): ModelSpec = ModelSpec.read(stream("""{"kind": "$kind", "lengths": $lengths, "lower_case": true,
    "signatures": {${lengths.joinToString { "\"$it\": \"length_$it\"" }}}, "labels": $labels,
    "settings": $settings,
    "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}, "outputs": {$outputs}}"""))

class ModelSpecTest {
    private val whole = """{"name": "sst2", "task": "sst2", "kind": "classification",
        "lengths": [32, 128],
        "signatures": {"32": "length_32", "128": "length_128"}, "lower_case": true,
        "inputs": {"ids": {"type": "int32"}, "mask": {}, "segment_ids": {}},
        "outputs": {"probabilities": {"shape": [1, 2]}}, "labels": ["bad", "good"], "files": []}"""

    private fun message(text: String) =
        assertFailsWith<ModelException> { ModelSpec.read(stream(text)) }.also {
            assertEquals(Problem.UnusableFile("model.json"), it.problem)
        }.message!!

    private fun with(old: String, new: String) = whole.replace(old, new).also { check(it != whole) }

    @Test
    fun readsWhatTheExporterWrites() {
        val spec = ModelSpec.read(stream(whole))
        assertEquals(listOf("sst2", "classification"), listOf(spec.name, spec.kind))
        assertEquals(listOf(32, 128), spec.lengths)
        assertEquals(listOf("bad", "good"), spec.labels)
        assertEquals(setOf("probabilities"), spec.outputs)
        assertEquals("length_32", spec.signature(32))
        assertEquals(true, spec.lowerCase)
        assertNull(ModelSpec.read(stream(with("[\"bad\", \"good\"]", "null"))).labels)
    }

    @Test
    fun theShortestLengthThatLeavesAPlaceForPadding() {
        val spec = ModelSpec.read(stream(whole))
        assertEquals(listOf(32, 32, 128, 128, 128, 128),
            listOf(1, 31, 32, 127, 128, 500).map(spec::lengthFor))
    }

    private fun withSettings(settings: String) =
        with("\"files\"", "\"settings\": $settings, \"files\"")

    private fun settings(settings: String) =
        QuestionSettings.read(ModelSpec.read(stream(withSettings(settings))).settings)

    private fun settingsMessage(settings: String) =
        assertFailsWith<ModelException> { settings(settings) }.message!!

    @Test
    fun howQuestionsAreAskedAndAnswered() {
        val defaults = QuestionSettings(64, 128, 30, 20, Double.POSITIVE_INFINITY)
        assertEquals(defaults, QuestionSettings.read(ModelSpec.read(stream(whole)).settings))
        assertEquals(defaults, settings("null"))
        assertEquals(defaults, settings("{}"))
        assertEquals(QuestionSettings(9, 7, 5, 3, 0.5), settings("""{"max_question_length": 9,
            "stride": 7, "max_answer_length": 5, "n_best": 3, "null_threshold": 0.5}"""))
    }

    @Test
    fun settingsThatMeanNothingAreRefused() {
        val keys = listOf("max_question_length", "stride", "max_answer_length", "n_best")
        for (value in listOf("0", "-1", "\"x\"", "1e12", "1.5", "null", "true")) {
            for (key in keys) {
                assertContains(settingsMessage("{\"$key\": $value}"),
                    "\"$key\" should be a whole number from 1 to 1000000.")
            }
        }
        assertContains(message(withSettings("3")), "\"settings\" should be an object")
        assertContains(settingsMessage("{\"strides\": 1}"),
            "\"strides\" is not one of max_question_length, stride,")
    }

    @Test
    fun whereAPassageHasNoAnswer() {
        for ((value, expected) in listOf("-1.5" to -1.5, "null" to Double.POSITIVE_INFINITY)) {
            assertEquals(expected, settings("{\"null_threshold\": $value}").nullThreshold)
        }
        assertContains(settingsMessage("{\"null_threshold\": \"a\"}"),
            "\"null_threshold\" should be a number.")
    }

    @Test
    fun saysWhatIsMissingOrWrong() {
        assertEquals("model.json has no \"kind\": export the model again.",
            message(with("\"kind\"", "\"x\"")))
        assertContains(message(with("[32, 128]", "[32, 128.5]")),
            "\"lengths\" should be a list of whole")
        assertContains(message(with("[32, 128]", "[128, 32]")), "ascending")
        assertContains(message(with("[32, 128]", "[]")), "ascending")
        assertContains(message(with("\"32\":", "\"33\":")), "\"signatures\" has no \"32\"")
        assertContains(message(with("\"mask\"", "\"input_mask\"")), "\"inputs\" lacks mask.")
        assertContains(message(with("true", "\"yes\"")), "\"lower_case\" should be true or false")
        assertContains(message(with("\"good\"", "1")), "\"labels\" should be a list of strings")
        assertEquals("model.json should be an object.", message("[]"))
        assertContains(message("{"), "line 1 is not JSON")
    }
}
