package dev.mobilebert.demo

import android.os.Parcel
import androidx.compose.ui.test.hasAnyAncestor
import androidx.compose.ui.test.hasScrollToIndexAction
import androidx.compose.ui.test.hasTestTag
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.performScrollToIndex
import androidx.lifecycle.ViewModelProvider
import java.io.File
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/** What survives when Android ends the process of an app in the background. */
@RunWith(RobolectricTestRunner::class)
class StateTest {
    @get:Rule
    val rule = createEmptyComposeRule()

    private fun Demo.fill(passage: String) {
        val model = model()
        model.passage.value = passage
        model.question.value = "What is old?"
        settle()
        rule.onNode(hasText("Ask") and !isSelectable()).performClick()
        settle()
    }

    private fun Demo.model() =
        ViewModelProvider(activity)[DemoViewModel::class.java]

    @Test
    fun textsQuestionAnswerAndHistorySurvive() {
        val first = Demo(rule)
        first.fill("Old is the harbour.")
        assertEquals(listOf("harbour"), first.marked())
        val second = Demo(rule, saved = first.kill())
        second.sees("What is old?")
        assertEquals(listOf("harbour"), second.marked())
        second.tapSymbol("History")
        second.sees("harbour")
    }

    @Test
    fun theHistoryIsSmallWhateverIsAsked() {
        val demo = Demo(rule)
        // Accents have no token: all of them belong to the answer.
        demo.fill("Old is the harbour" + "\u0301".repeat(50_000))
        val model = demo.model()
        model.question.value = "x".repeat(50_000)
        model.ask()
        demo.settle()
        for (entry in model.history) {
            assertTrue(entry.question.length <= 1_000)
            assertEquals(1_000, entry.answer?.length)
        }
        assertEquals(2, model.history.size)
    }

    @Test
    fun thatATextWasCutSurvives() {
        val first = Demo(rule)
        first.show(Use.CLASSIFY)
        first.model().text.value = "x".repeat(20_001)
        val second = Demo(rule, saved = first.kill())
        second.pause(400)
        second.sees("longer than the model reads")
    }

    @Test
    fun theScreenAndItsClassesSurvive() {
        val first = Demo(rule)
        first.show(Use.CLASSIFY)
        first.type("Text", "The harbour")
        first.pause(400)
        first.sees("70.0 %")
        val second = Demo(rule, saved = first.kill())
        second.pause(400)
        second.sees("The harbour")
        second.sees("70.0 %")
    }

    @Test
    fun aLongPassageIsKeptInAFile() {
        val long = "The quay. ".repeat(60_000) + "The harbour."
        val first = Demo(rule)
        first.fill(long)
        val state = first.kill()
        val parcel = Parcel.obtain()
        parcel.writeBundle(state)
        // Binder refuses a megabyte; others share it.
        assertTrue(parcel.dataSize() < 200_000, "${parcel.dataSize()} bytes")
        assertTrue(File(TestApplication.current.filesDir, "passage.txt").length() >= 600_000)
        val second = Demo(rule, saved = state)
        assertEquals(long, second.model().passage.value)
        second.model().passage.value = "short"
        second.kill()
        assertFalse(File(TestApplication.current.filesDir, "passage.txt").exists())
    }

    @Test
    fun aTurnedPhoneShowsTheSamePlaceOfTheText() {
        RuntimeEnvironment.setQualifiers("w360dp-h740dp-port-mdpi")
        val demo = Demo(rule)
        demo.fill("Old is the harbour.\n" + (1..60).joinToString("\n") { "Quay $it." })
        rule.onNode(hasScrollToIndexAction() and hasAnyAncestor(hasTestTag("passage")))
            .performScrollToIndex(40)
        demo.settle()
        demo.turn("w740dp-h360dp-land-mdpi")
        demo.sees("Quay 40.")
        // The next answer is looked for, as the first one was.
        demo.fill("Old is the harbour.\n" + (1..60).joinToString("\n") { "Quay $it!" })
        demo.sees("Old is the harbour.")
    }
}
