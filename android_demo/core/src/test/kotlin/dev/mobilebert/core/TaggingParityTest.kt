package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** Compares words, windows and entities with Python's, on texts of this run. */
class TaggingParityTest {
    @Test
    fun wordsWindowsAndEntitiesOfRandomTexts() {
        val file = Cases.json("tagging/cases.json")
        val tokenizer = BertTokenizer(Cases.vocabulary("tagging/vocab.txt"),
            Cases.table("tagging/lower_case.txt"))
        val labels = (file["tags"] as List<*>)
            .joinToString(prefix = "[", postfix = "]") { "\"$it\"" }
        // Python may know more letters than this JVM.
        val cases = file["cases"].asObjects().filter { case ->
            (case["text"] as String).codePoints()
                .noneMatch { Character.getType(it) == Character.UNASSIGNED.toInt() }
        }
        assertTrue(cases.size > 1500)
        var count = 0
        for (case in cases) {
            val text = case["text"] as String
            val words = WordSplitter.split(text)
            assertEquals(case["starts"].asInts(), words.map { it.start }, text)
            assertEquals(case["ends"].asInts(), words.map { it.end }, text)
            val windows = TaggedWindow.of(tokenizer, words.map { text.substring(it.start, it.end) },
                case.int("length"))
            val expected = case["windows"].asObjects()
            assertEquals(expected.map { it["ids"].asInts() }, windows.map { it.ids.toList() }, text)
            assertEquals(expected.map { it["words"].asInts() }, windows.map { it.words.toList() })
            val logits = expected.map { window ->
                (window["logits"] as List<*>).flatMap { it.asFloats().toList() }.toFloatArray()
            }.iterator()
            val finder = EntityFinder(spec("tagging", "\"logits\": {}", listOf(case.int("length")),
                labels), tokenizer, FakeRunner { mapOf("logits" to logits.next()) })
            if (windows[0].ids.size == 2) {
                assertEquals(emptyList(), case["entities"].asObjects())
                assertIs<Problem.NoText>(
                    assertFailsWith<ModelException> { finder.run(text) }.problem)
                continue
            }
            val found = assertIs<Outcome.Entities>(finder.run(text)).entities
            assertEquals(case["entities"].asObjects().map { listOf(it["type"], it["text"],
                it.int("start"), it.int("end"), Math.round((it["probability"] as Double) * 1e9)) },
                found.map { listOf(it.type, it.text, it.start, it.end,
                    Math.round(it.probability * 1e9)) }, text)
            count += found.size
        }
        Cases.measured("${cases.size} random texts: words, windows and $count entities equal")
        assertTrue(count > 1000)
    }
}
