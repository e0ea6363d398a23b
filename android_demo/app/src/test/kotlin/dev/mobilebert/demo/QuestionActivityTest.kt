package dev.mobilebert.demo

import android.os.Looper
import android.widget.EditText
import android.widget.TextView
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.shadows.ShadowPopupMenu

@RunWith(RobolectricTestRunner::class)
class QuestionActivityTest {
    private val application = TestApplication.current
    private val runner = TestRunner.lastHarbour { beforeRun() }
    private var beforeRun = {}
    private var opened = 0

    init {
        application.open = {
            opened++
            runner
        }
    }

    private fun ask(passage: String = PASSAGE): Screen<QuestionActivity> {
        val screen = Screen(QuestionActivity::class.java)
        screen.type(R.id.passage, passage)
        screen.type(R.id.question, "What is old?")
        screen.tap(R.id.ask)
        application.settle()
        return screen
    }

    @Test
    fun theAnswerIsHighlightedWhereItStands() {
        val screen = ask()
        val start = PASSAGE.lastIndexOf("harbour")
        assertEquals(start until start + 7, screen.highlighted(R.id.passage))
        assertEquals("Answer: harbour", screen.text(R.id.status))
        assertContains(screen.text(R.id.details), Regex("""Score 18\.0, probability \d+ %"""))
        assertContains(screen.text(R.id.details), " ms, the first.")
        screen.tap(R.id.ask)
        application.settle()
        assertContains(screen.text(R.id.details), "median of the later ones")
    }

    @Test
    fun turningKeepsTextsAnswerAndModel() {
        val screen = ask()
        val before = screen.activity
        val highlighted = assertNotNull(screen.highlighted(R.id.passage))
        screen.turn()
        assertTrue(screen.activity !== before)
        assertEquals(PASSAGE, screen.text(R.id.passage))
        assertEquals("What is old?", screen.text(R.id.question))
        assertEquals("Answer: harbour", screen.text(R.id.status))
        assertEquals(highlighted, screen.highlighted(R.id.passage))
        assertEquals(1, opened)
        assertFalse(runner.isClosed)
    }

    @Test
    fun leavingClosesTheModel() {
        ask().leave()
        assertTrue(runner.isClosed)
    }

    @Test
    fun theWindowIsShownAndCancelEndsTheWork() {
        lateinit var screen: Screen<QuestionActivity>
        val seen = ArrayList<String>()
        beforeRun = {
            shadowOf(Looper.getMainLooper()).idle()
            seen.add(screen.text(R.id.status))
            if (seen.size == 2) screen.tap(R.id.cancel)
        }
        screen = Screen(QuestionActivity::class.java)
        assertFalse(screen.view<TextView>(R.id.cancel).isEnabled)
        screen.type(R.id.passage, "$PASSAGE ".repeat(6))
        screen.type(R.id.question, "What is old?")
        screen.tap(R.id.ask)
        application.settle()
        assertEquals(listOf("Reading window 1 of 3…", "Reading window 2 of 3…"), seen)
        assertEquals(2, runner.runs)
        assertEquals("", screen.text(R.id.status))
        assertNull(screen.highlighted(R.id.passage))
        assertFalse(screen.view<TextView>(R.id.cancel).isEnabled)
    }

    @Test
    fun anAnswerIsOfTheTextsThatItWasGivenFor() {
        for (id in listOf(R.id.passage, R.id.question)) {
            val screen = ask()
            assertNotNull(screen.highlighted(R.id.passage))
            screen.view<EditText>(id).append(" Is it?")
            assertNull(screen.highlighted(R.id.passage))
            assertEquals("", screen.text(R.id.status))
        }
    }

    @Test
    fun thatThereIsNoAnswerIsSaid() {
        application.files.compute("question_answering/model.json") { _, text ->
            text!!.replace("\"kind\"", "\"settings\": {\"null_threshold\": -99}, \"kind\"")
        }
        val screen = ask()
        assertEquals("The passage does not answer the question.", screen.text(R.id.status))
        assertNull(screen.highlighted(R.id.passage))
    }

    @Test
    fun withoutAQuestionNothingRuns() {
        val screen = Screen(QuestionActivity::class.java)
        screen.type(R.id.passage, PASSAGE)
        screen.tap(R.id.ask)
        application.settle()
        assertEquals("Type a question first.", screen.view<EditText>(R.id.question).error)
        assertEquals(0, runner.runs)
    }

    @Test
    fun samplesFillBothTexts() {
        val resources = application.resources
        val passages = resources.getStringArray(R.array.sample_passages)
        val questions = resources.getStringArray(R.array.sample_questions)
        assertEquals(passages.size, questions.size)
        assertEquals(passages.size, resources.getStringArray(R.array.sample_titles).size)
        val screen = Screen(QuestionActivity::class.java)
        for (index in passages.indices) {
            choose(screen, index)
            assertEquals(passages[index], screen.text(R.id.passage))
            assertEquals(questions[index], screen.text(R.id.question))
        }
        choose(screen, passages.size)
        assertEquals("", screen.text(R.id.passage))
        assertEquals("", screen.text(R.id.question))
    }

    private fun choose(screen: Screen<QuestionActivity>, item: Int) {
        screen.tap(R.id.samples)
        assertTrue(ShadowPopupMenu.getLatestPopupMenu().menu.performIdentifierAction(item, 0))
    }

    @Test
    fun whatIsWrongWithAModelIsSaid() {
        val wrong: Map<String, () -> Unit> = mapOf(
            "built without a model" to { remove("model.json") },
            "without vocab.txt" to { remove("vocab.txt") },
            "one for classification" to {
                application.addModel("question_answering", "classification",
                    listOf("probabilities"))
            },
            "cannot be opened" to { application.open = { throw IllegalArgumentException("bad") } },
            "processor" to { application.open = { throw UnsatisfiedLinkError() } },
        )
        for ((words, breakIt) in wrong) {
            application.addModel("question_answering", "question_answering",
                listOf("start_logits", "end_logits"))
            breakIt()
            val screen = ask()
            assertContains(screen.text(R.id.status), words)
            screen.leave()
        }
    }

    private fun remove(name: String) {
        application.files.remove("question_answering/$name")
    }

    private companion object {
        const val PASSAGE = "The harbour 😀 is old. Nobody on the quay knows the harbour at all."
    }
}
