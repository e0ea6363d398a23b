package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

/** The questions of tests/golden/squad, by their ids. */
internal val goldenQuestions: Map<String, Question> by lazy {
    Golden.json("questions.json")["data"].asObjects()
        .flatMap { it["paragraphs"].asObjects() }
        .flatMap { paragraph ->
            paragraph["qas"].asObjects().map {
                it["id"] as String to Question(it["question"] as String,
                    paragraph["context"] as String)
            }
        }.toMap()
}

internal fun builder(setting: Map<*, *>) = FeatureBuilder(Golden.tokenizer(),
    setting.int("length"), QuestionSettings(stride = setting.int("stride"),
        maxQuestionLength = setting.int("max_question_length")))

class FeatureBuilderTest {
    private fun flags(window: Window) =
        window.isMaxContext.joinToString("") { if (it) "1" else "0" }

    @Test
    fun givesTheWindowsOfGooglesRunSquad() {
        var count = 0
        for (case in Golden.json("google_squad.json")["features"].asObjects()) {
            val builder = builder(case["setting"] as Map<*, *>)
            for ((id, expected) in case["windows"] as Map<*, *>) {
                val question = goldenQuestions.getValue(id as String)
                val windows = builder.windows(question.question, question.passage)
                assertEquals(expected.asObjects().map {
                    listOf(it["ids"].asInts(), it.int("first_length"), it["words"].asInts(),
                        it["is_max_context"])
                }, windows.map {
                    listOf(it.ids.toList(), it.firstLength, it.words.toList(), flags(it))
                }, id)
                count += windows.size
            }
        }
        assertTrue(count > 400, "$count windows")
    }

    @Test
    fun everyTokenHasMostContextInOneWindow() {
        val passage = List(50) { "the ferry " }.joinToString("")
        val settings = QuestionSettings(stride = 7, maxQuestionLength = 8)
        val windows = FeatureBuilder(Golden.tokenizer(), 24, settings).windows("the?", passage)
        val starts = windows.flatMap { window ->
            window.starts.filterIndexed { index, _ -> window.isMaxContext[index] }
        }
        assertEquals(Golden.tokenizer().tokenize(passage).starts.toList(), starts.sorted())
        assertEquals(starts.sorted().distinct().size, starts.size)
    }

    @Test
    fun aQuestionWithoutRoomForThePassageIsRefused() {
        val passage = "the ferry"
        val tokenizer = Golden.tokenizer()
        assertEquals(2, FeatureBuilder(tokenizer, 6).windows("the ferry", passage).size)
        val error = assertFailsWith<ModelException> {
            FeatureBuilder(tokenizer, 5).windows("the ferry", passage)
        }
        assertContains(error.message!!, "too long for the model, which reads 5 tokens")
        assertEquals(emptyList(), FeatureBuilder(tokenizer, 8).windows("the", "\u200B "))
    }
}
