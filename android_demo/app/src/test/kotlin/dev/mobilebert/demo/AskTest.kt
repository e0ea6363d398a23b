package dev.mobilebert.demo

import android.graphics.Bitmap
import android.graphics.Canvas
import android.os.Looper
import androidx.compose.material3.dynamicLightColorScheme
import androidx.compose.ui.graphics.Color
import androidx.compose.ui.graphics.toArgb
import androidx.compose.ui.input.key.Key
import androidx.compose.ui.test.ExperimentalTestApi
import androidx.compose.ui.test.assertIsDisplayed
import androidx.compose.ui.test.assertIsNotEnabled
import androidx.compose.ui.test.hasAnyAncestor
import androidx.compose.ui.test.hasSetTextAction
import androidx.compose.ui.test.hasTestTag
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isEnabled
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.onNodeWithTag
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.performImeAction
import androidx.compose.ui.test.performKeyInput
import androidx.compose.ui.test.pressKey
import androidx.lifecycle.ViewModelProvider
import com.google.ai.edge.litert.LiteRtException
import dev.mobilebert.core.TensorRunner
import java.io.IOException
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

@RunWith(RobolectricTestRunner::class)
class AskTest {
    @get:Rule
    val rule = createEmptyComposeRule()
    private val application = TestApplication.current
    private val runner = TestRunner.lastHarbour { beforeRun() }
    private var beforeRun = {}
    private var opened = 0

    init {
        application.open = { _, _ ->
            opened++
            runner
        }
    }

    private fun ask(passage: String = PASSAGE): Demo {
        val demo = Demo(rule)
        demo.tap("Edit")
        demo.type("Text", passage)
        demo.tap("Done")
        demo.type("Question", "What is old?")
        demo.tapAsk()
        return demo
    }

    private fun Demo.tapAsk() {
        rule.onNode(hasText("Ask") and isEnabled() and
            !isSelectable()).performClick()
        settle()
    }

    @Test
    fun aPassageAndAGoodQuestionAreThereAtTheFirstStart() {
        val demo = Demo(rule)
        demo.sees("The town clock of Orsa has had a single hand")
        demo.sees("Who made the clock?")
        demo.tapAsk()
        assertTrue(runner.runs > 0)
    }

    @Test
    fun theAnswerIsMarkedWhereItStands() {
        val demo = ask()
        val start = PASSAGE.lastIndexOf("harbour")
        assertEquals(listOf(start until start + 7), demo.places())
        demo.sees("100 % likely among all possible answers")
        demo.sees("Or perhaps")
    }

    @Test
    fun aTextOfOnesOwnIsTypedAndThenRead() {
        val demo = Demo(rule)
        demo.tap("Samples")
        demo.tap("A text of your own")
        demo.typeOn("Text", "the harbour")
        demo.type("Question", "What is old?")
        demo.tapAsk()
        // Where a text is edited, no mark can be shown.
        assertEquals(listOf("harbour"), demo.marked())
        demo.tap("Edit")
        demo.turn()
        demo.typeOn("Text", ".")
    }

    @Test
    fun aLongParagraphIsScrolledToTheLineOfTheAnswer() {
        val demo = ask("the ".repeat(450) + "harbour")
        val pane = rule.onNodeWithTag("passage").fetchSemanticsNode().boundsInWindow
        val text = rule.onNode(hasText("harbour", substring = true) and !hasSetTextAction() and
            hasAnyAncestor(hasTestTag("passage"))).fetchSemanticsNode()
        // The answer is in the paragraph's last line.
        val bottom = text.positionInWindow.y + text.size.height
        assertTrue(text.size.height > pane.height, "there is nothing to scroll")
        assertTrue(bottom <= pane.bottom, "$bottom is below ${pane.bottom}")
    }

    @Test
    fun anAnswerIsOfTheTextsThatItWasGivenFor() {
        val demo = ask()
        demo.type("Question", "What is it?")
        assertEquals(emptyList(), demo.marked())
        assertEquals(0, demo.count("likely among all"))
    }

    @Test
    fun onePressOfEnterRunsTheModelOnce() {
        val demo = ask()
        val field = rule.onNode(hasText("Question") and hasSetTextAction())
        for (press in 2..3) {
            @OptIn(ExperimentalTestApi::class)
            field.performClick().performKeyInput { pressKey(Key.Enter) }
            demo.settle()
            assertEquals(press, runner.runs)
        }
        field.performImeAction()
        demo.settle()
        assertEquals(4, runner.runs)
    }

    @Test
    fun theWindowIsShownAndCancelEndsTheWork() {
        lateinit var demo: Demo
        val seen = ArrayList<Int>()
        beforeRun = {
            shadowOf(Looper.getMainLooper()).idle()
            seen.add(demo.count("Reading part ${seen.size + 1} of 3"))
            if (seen.size == 2) rule.onNodeWithText("Cancel").performClick()
        }
        demo = Demo(rule)
        demo.tap("Edit")
        demo.type("Text", "$PASSAGE ".repeat(6))
        demo.type("Question", "What is old?")
        demo.tapAsk()
        assertEquals(listOf(1, 1), seen)
        assertEquals(2, runner.runs)
        assertEquals(0, demo.count("Reading part"))
    }

    @Test
    fun thatThereIsNoAnswerIsSaid() {
        application.files.compute("question_answering/model.json") { _, text ->
            text!!.replace("\"kind\"", "\"settings\": {\"null_threshold\": -99}, \"kind\"")
        }
        val demo = ask()
        demo.sees("The passage does not answer the question.")
        assertEquals(emptyList(), demo.marked())
        assertEquals(1, demo.count("The model’s guesses all the same"))
        assertEquals(1, demo.count("harbour (100 %)"))
    }

    @Test
    fun thatAQuestionIsTooLongIsSaid() {
        application.files.compute("question_answering/model.json") { _, text ->
            text!!.replace("\"kind\"", "\"settings\": {\"max_question_length\": 3}, \"kind\"")
        }
        // "?" is a token too.
        ask().sees("The question is longer than the model reads")
    }

    @Test
    fun aQuestionHasAThousandCharacters() {
        val demo = Demo(rule)
        demo.type("Question", "x".repeat(1_500))
        assertEquals(1, demo.count("x".repeat(1_000)))
        assertEquals(0, demo.count("x".repeat(1_001)))
        // It is one token.
        demo.tapAsk()
        demo.sees("The question is longer than the model reads")
        val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
        model.question.value = "x".repeat(999) + "😀"
        assertEquals("x".repeat(999), model.question.value)
    }

    @Test
    fun ofALongAnswerTheBeginningIsShown() {
        val demo = Demo(rule)
        val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
        // Accents have no token: all of them belong to the answer.
        model.passage.value = "Old is the harbour" + "\u0301".repeat(50_000)
        demo.settle()
        demo.tapAsk()
        demo.sees("likely among all")
        assertEquals(1, demo.count("Or perhaps"))
        assertTrue(demo.longestText() <= 2_100)
    }

    @Test
    fun withoutAQuestionOrAPassageNothingRuns() {
        val demo = Demo(rule)
        demo.type("Question", " ")
        rule.onNode(hasText("Ask") and !isSelectable())
            .assertIsNotEnabled()
        demo.type("Question", "Who?")
        demo.tap("Edit")
        demo.type("Text", "")
        demo.tapAsk()
        demo.sees("There is no text to read")
        assertEquals(0, runner.runs)
    }

    @Test
    fun aMissingTextDoesNotLookLikeAnError() {
        val demo = ask("")
        val color = dynamicLightColorScheme(demo.activity).errorContainer
        assertFalse(demo.shows(color))
        demo.leave()
        remove("model.json")
        assertTrue(Demo(rule).shows(color))
    }

    private fun Demo.shows(color: Color): Boolean {
        val view = activity.window.decorView
        val picture = Bitmap.createBitmap(view.width, view.height, Bitmap.Config.ARGB_8888)
        view.draw(Canvas(picture))
        val pixels = IntArray(view.width * view.height)
        picture.getPixels(pixels, 0, view.width, 0, 0, view.width, view.height)
        return color.toArgb() in pixels
    }

    @Test
    fun withALongPassageQuestionAnswerAndButtonStayOnTheScreen() {
        val demo = ask("Nothing here. ".repeat(60) + "\n" + PASSAGE)
        rule.onNode(hasText("Question") and hasSetTextAction()).assertIsDisplayed()
        rule.onNode(hasText("Ask") and !isSelectable()).assertIsDisplayed()
        demo.sees("likely among all")
        assertEquals(listOf("harbour"), demo.marked())
    }

    @Test
    fun samplesFillBothTexts() {
        val demo = Demo(rule)
        demo.tap("Samples")
        demo.tap("The night ferry")
        demo.sees("The night ferry from Halm to Brede")
        demo.sees("Where was the captain born?")
    }

    @Test
    fun historyKeepsQuestionsAndAnswers() {
        val demo = ask()
        demo.tapSymbol("History")
        demo.sees("harbour")
        demo.tap("What is old?")
        demo.sees("Ask a passage")
    }

    @Test
    fun leavingClosesTheModel() {
        ask().leave()
        assertTrue(runner.isClosed)
    }

    @Test
    fun turningKeepsTextsAnswerAndModel() {
        val demo = ask()
        demo.turn()
        assertEquals(listOf("harbour"), demo.marked())
        demo.sees("What is old?")
        assertEquals(listOf(1, 1), listOf(opened, runner.runs))
        assertFalse(runner.isClosed)
    }

    @Test
    fun whatIsWrongWithAModelIsSaid() {
        fun failing(error: Throwable): (String, Device) -> TensorRunner = { _, _ -> throw error }
        val wrong: Map<String, () -> Unit> = mapOf(
            "built without a model" to { remove("model.json") },
            "lacks its file vocab.txt" to { remove("vocab.txt") },
            "lacks its file model.tflite" to { remove("model.tflite") },
            "The file vocab.txt of this screen’s model is damaged" to { change("vocab.txt", "harbour\n", "\n") },
            "The file normalization.txt does not belong to the model" to {
                change("model.json", "\"lower_case\": true", "\"lower_case\": false")
            },
            "one for classification" to {
                application.addModel(Use.ASK, "classification", listOf("probabilities"))
            },
            "cannot be opened" to { application.open = failing(LiteRtException("bad")) },
            "is damaged" to { application.open = failing(IOException("bad")) },
            "processor" to { application.open = failing(UnsatisfiedLinkError()) },
            "Processor" to { application.open = failing(OutOfMemoryError()) },
        )
        for ((words, breakIt) in wrong) {
            application.addModel(Use.ASK, "question_answering",
                listOf("start_logits", "end_logits"))
            breakIt()
            val demo = Demo(rule)
            demo.sees(if (words == "Processor") "not enough memory" else words)
            demo.leave()
        }
    }

    private fun remove(name: String) {
        application.files.remove("question_answering/$name")
    }

    private fun change(name: String, old: String, new: String) {
        application.files.compute("question_answering/$name") { _, content ->
            checkNotNull(content).replace(old, new).also { check(it != content) }
        }
    }

    private companion object {
        const val PASSAGE = "The harbour 😀 is old. Nobody on the quay knows the harbour at all."
    }
}
