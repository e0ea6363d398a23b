package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertIs

/** Every engine refuses texts without tokens, and does not run its model on them. */
class NoTextTest {
    private val texts = listOf("", " \n", "\u200B", "\u0301\u0301", "\u0000\u0001", "\uFEFF \u200D")
    private val tokenizer = Golden.small("it")
    private val runner = FakeRunner { throw AssertionError("the model was run") }

    private fun <Request> assertRefused(engine: Engine<Request>, vararg requests: Request) {
        for (request in requests) {
            val error = assertFailsWith<ModelException> {
                engine.run(request) { _, _ -> throw AssertionError("a run was announced") }
            }
            assertIs<Problem.NoText>(error.problem)
        }
        assertEquals(0, runner.calls.size)
    }

    @Test
    fun classifiersRefuseThem() {
        val probabilities = "\"probabilities\": {}"
        val classifier = TextClassifier(spec("classification", probabilities), tokenizer, runner)
        val chooser = LabelChooser(spec("multi_label", probabilities), tokenizer, runner)
        for (engine in listOf(classifier, chooser)) {
            for (text in texts) assertRefused(engine, Text(text), Text(text, "it"), Text("it", text))
        }
    }

    @Test
    fun theSearcherRefusesThemAsQueryAndIfThereIsNoOtherLine() {
        val searcher =
            LineSearcher(spec("embedding", "\"sentence_embedding\": {}"), tokenizer, runner)
        for (text in texts) assertRefused(searcher, Search(text, listOf("it")))
        assertRefused(searcher, Search("it", texts), Search("it", emptyList()))
    }

    @Test
    fun theFinderRefusesThem() {
        val finder =
            EntityFinder(spec("tagging", "\"logits\": {}", labels = "[\"O\"]"), tokenizer, runner)
        for (text in texts) assertRefused(finder, text)
    }

    @Test
    fun theAnswererRefusesThemAsQuestionAndAsPassage() {
        val answerer = QuestionAnswerer(spec("question_answering", SPAN_OUTPUTS), tokenizer, runner)
        for (text in texts) assertRefused(answerer, Question(text, "it"), Question("it", text))
    }
}
