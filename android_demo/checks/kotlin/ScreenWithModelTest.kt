package dev.mobilebert.demo

import android.os.Looper
import dev.mobilebert.core.Cases
import dev.mobilebert.core.LiteRtRunner
import dev.mobilebert.core.asObjects
import dev.mobilebert.core.int
import java.time.Duration
import kotlin.test.assertContains
import kotlin.test.assertEquals
import org.junit.Assume.assumeTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

/** Compares the screens, with .tflite files and LiteRT's library for Linux, with `predict`. */
@RunWith(RobolectricTestRunner::class)
class ScreenWithModelTest {
    private val application = TestApplication.current

    private fun useModel(folder: String): List<Map<*, *>> {
        for (name in listOf("shim", "litert", "cases")) {
            assumeTrue("needs exported models and LiteRT",
                System.getProperty("mobilebert.$name") != null)
        }
        for (name in listOf("model.json", "vocab.txt", "normalization.txt")) {
            application.files["$folder/$name"] = Cases.file("$folder/$name").readText()
        }
        application.open = { LiteRtRunner(Cases.file(it).path) }
        return Cases.json("$folder/cases.json")["cases"].asObjects()
    }

    @Test
    fun thePlaceThatPredictGivesIsHighlighted() {
        val cases = useModel("question_answering")
        val screen = Screen(QuestionActivity::class.java)
        for (case in cases) {
            screen.type(R.id.passage, case["passage"] as String)
            screen.type(R.id.question, case["question"] as String)
            screen.tap(R.id.ask)
            application.settle()
            assertEquals("Answer: ${case["answer"]}", screen.text(R.id.status))
            assertEquals(case.int("start") until case.int("end"),
                screen.highlighted(R.id.passage))
        }
        screen.leave()
        Cases.measured("screens: ${cases.size} answers highlighted where predict has them")
    }

    @Test
    fun theClassThatPredictGivesIsShown() {
        val cases = useModel("text_classification")
            .filter { it["second_text"] == null && (it["text"] as String).isNotBlank() }
        val screen = Screen(ClassificationActivity::class.java)
        for (case in cases) {
            screen.type(R.id.text, case["text"] as String)
            shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(300))
            application.settle()
            val best = case["classes"].asObjects().first()
            assertContains(screen.text(R.id.status), "${best["label"]}: ")
            assertEquals(case["truncated"], "longer than" in screen.text(R.id.details))
        }
        screen.leave()
        Cases.measured("screens: ${cases.size} texts classified as predict does")
    }
}
