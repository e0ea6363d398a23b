package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** Returns a classifier that gives "good" this probability; [sha256] is its file's. */
private fun classifier(
    good: Float,
    sha256: String? = null,
    labels: List<String> = listOf("bad", "good"),
): Pair<TextClassifier, FakeRunner> = FakeRunner {
    mapOf("probabilities" to floatArrayOf(1 - good, good))
}.let { runner ->
    val files = sha256?.let { """{"file": "model.tflite", "sha256": "$it"}""" } ?: ""
    val spec = ModelSpec.read(stream("""{"name": "model $sha256", "kind": "classification",
        "lengths": [8], "signatures": {"8": "only"}, "lower_case": true,
        "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}, "outputs": {"probabilities": {}},
        "labels": [${labels.joinToString { "\"$it\"" }}], "files": [$files]}"""))
    Pair(TextClassifier(spec, Golden.small("a"), runner), runner)
}

class CascadeTest {
    private val whole = """{"kind": "classification", "labels": ["bad", "good"],
        "threshold": 0.75, "files": [{"file": "small.tflite", "bytes": 1, "sha256": "01"},
        {"file": "../large/large.tflite", "bytes": 2, "sha256": "02"}], "task": "sst2"}"""

    private fun with(old: String, new: String) = whole.replace(old, new).also { check(it != whole) }

    private fun settings(text: String = whole) = CascadeSettings.read(stream(text))

    private fun message(text: String) =
        assertFailsWith<ModelException> { settings(text) }.message!!

    @Test
    fun theSecondAnswersWhereTheFirstIsNotSure() {
        for ((good, asked) in listOf(0.875f to 0, 0.75f to 1, 0.5f to 1, 0.125f to 0)) {
            val (first, ofFirst) = classifier(good)
            val (second, ofSecond) = classifier(0.25f)
            val found = Cascade(settings(), first, second).classify(Text("a"))
            assertEquals(asked == 1, found.isOfSecond)
            assertEquals(if (asked == 1) 0.75f else maxOf(good, 1 - good), found.confidence)
            assertEquals(if (asked == 1 || good < 0.5f) "bad" else "good",
                found.classes.classes.first().label)
            assertEquals(listOf(1, asked), listOf(ofFirst.calls.size, ofSecond.calls.size))
        }
    }

    @Test
    fun theSecondAnswersWhereTheFirstHasNoUsableNumbers() {
        val (first, _) = classifier(Float.NaN)
        val found = Cascade(settings(), first, classifier(0.25f).first).classify(Text("a"))
        assertTrue(found.isOfSecond)
        assertEquals(0.75f, found.confidence)
        assertIs<Problem.NoUsableNumbers>(assertFailsWith<ModelException> {
            Cascade(settings(), first, classifier(Float.NaN).first).classify(Text("a"))
        }.problem)
        // What is wrong with the first otherwise is said.
        val wrong = ModelException("wrong", Problem.UnusableFile("model.json"))
        val failing = TextClassifier(first.spec, Golden.small("a"), FakeRunner { throw wrong })
        assertEquals(wrong, assertFailsWith<ModelException> {
            Cascade(settings(), failing, classifier(0.25f).first).classify(Text("a"))
        })
    }

    @Test
    fun noModelIsAskedAboutATextWithoutTokens() {
        for (text in listOf(Text(""), Text(" \n"), Text("a", " "), Text("\u200B", "a"))) {
            val (first, ofFirst) = classifier(0.5f)
            val (second, ofSecond) = classifier(0.25f)
            assertIs<Problem.NoText>(assertFailsWith<ModelException> {
                Cascade(settings(), first, second).classify(text)
            }.problem)
            assertEquals(listOf(0, 0), listOf(ofFirst.calls.size, ofSecond.calls.size))
        }
    }

    @Test
    fun isAnEngineForAScreen() {
        val (first, ofFirst) = classifier(0.5f)
        val (second, ofSecond) = classifier(0.25f)
        val seen = ArrayList<Pair<Int, Int>>()
        val cascade: Engine<Text> = Cascade(settings(), first, second)
        val found = cascade.run(Text("a")) { window, count -> seen.add(window to count) }
        assertEquals("bad", assertIs<Outcome.Classes>(found).classes.first().label)
        assertEquals(listOf(1 to 2, 2 to 2), seen)
        cascade.close()
        assertTrue(ofFirst.isClosed && ofSecond.isClosed)
    }

    @Test
    fun isOfTheModelsForWhichTheThresholdWasChosen() {
        fun make(one: String?, two: String, vararg labels: String = arrayOf("bad", "good")) =
            Cascade(settings(), classifier(0.5f, one).first,
                classifier(0.5f, two, labels.toList()).first)
        fun message(work: () -> Unit) = assertFailsWith<ModelException>(block = work).message!!
        assertContains(message { make("02", "01") }, "chosen for other models than model 02")
        assertContains(message { make("01", "03") }, "chosen for other models than model 03")
        assertContains(message { make("01", "02", "good", "bad") }, "other labels")
        make("01", "02")
        make(null, "02")
    }

    @Test
    fun readsWhatPythonWrites() {
        val found = settings()
        assertEquals(listOf("bad", "good"), found.labels)
        assertEquals(0.75, found.threshold)
        assertEquals(listOf("01", "02"), found.checksums)
        assertEquals(null, settings(with("[\"bad\", \"good\"]", "null")).labels)
    }

    @Test
    fun saysWhatIsMissingOrWrong() {
        assertContains(message(with("\"classification\"", "\"multi_label\"")),
            "is for multi_label, and this core has cascades for classification")
        for (value in listOf("1.5", "-0.1", "null")) {
            assertContains(message(with("0.75", value)),
                "\"threshold\" should be a number from 0 to 1.")
        }
        assertContains(message(with("\"threshold\"", "\"x\"")), "\"threshold\" should be")
        assertContains(message(with("\"files\"", "\"x\"")), "\"files\" should name two files.")
        assertContains(message(with("\"sha256\": \"02\"", "\"x\": 1")), "has no \"sha256\"")
    }

    @Test
    fun answersAsPython() {
        val file = Cases.json("cascade/cases.json")
        val names = (file["labels"] as List<*>).map { "\"$it\"" }.toString()
        val cases = file["cases"].asObjects()
        for (case in cases) {
            val (first, second) = listOf("first", "second").map { name ->
                // Python writes no numbers where they are not finite.
                val row = case[name]?.asFloats() ?: FloatArray(3) { Float.NaN }
                TextClassifier(spec("classification", "\"probabilities\": {}", labels = names),
                    Golden.small("a"), FakeRunner { mapOf("probabilities" to row) })
            }
            val settings = settings("""{"kind": "classification", "labels": $names,
                "threshold": ${case["threshold"]}, "files": [{"sha256": "01"}, {"sha256": "02"}]}""")
            val cascade = Cascade(settings, first, second)
            val text = Text(case["text"] as String)
            // Of a text without tokens Python says no classes.
            if (case["labels"] == null) {
                assertIs<Problem.NoText>(
                    assertFailsWith<ModelException> { cascade.classify(text) }.problem)
                continue
            }
            val found = cascade.classify(text)
            assertEquals(case["answered_by"] == "second", found.isOfSecond, "$case")
            assertEquals(case["confidence"], found.confidence.toDouble(), "$case")
            assertEquals(case["labels"], found.classes.classes.map { it.label }, "$case")
        }
        val bySecond = cases.count { it["answered_by"] == "second" }
        assertTrue(bySecond in cases.size / 5..cases.size * 4 / 5, "$bySecond of ${cases.size}")
        Cases.measured("${cases.size} cascades, $bySecond by the second model: equal")
    }
}
