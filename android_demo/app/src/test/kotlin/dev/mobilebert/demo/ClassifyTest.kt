package dev.mobilebert.demo

import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import kotlin.test.assertEquals
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

@RunWith(RobolectricTestRunner::class)
class ClassifyTest {
    @get:Rule
    val rule = createEmptyComposeRule()
    private val runner = TestRunner.classes(0.1f, 0.2f, 0.7f)

    init {
        TestApplication.current.open = { path, _ ->
            if (path.startsWith(Use.CLASSIFY.folder)) runner else TestRunner.lastHarbour()
        }
    }

    private fun demo() = Demo(rule).apply {
        rule.mainClock.autoAdvance = false
        show(Use.CLASSIFY)
        rule.mainClock.advanceTimeByFrame()
        settle()
    }

    @Test
    fun classesAreShownAfterAPauseInTyping() {
        val demo = demo()
        for (text in listOf("T", "Th", "The")) {
            demo.type("Text", text)
            demo.pause(250)
        }
        assertEquals(0, runner.runs)
        demo.pause(100)
        assertEquals(1, runner.runs)
        demo.pause(100)
        demo.sees("70.0 %")
        demo.sees("so so")
        assertEquals(0, demo.count("longer than the model reads"))
        assertEquals(0, demo.count("classes"))
    }

    @Test
    fun anEmptyTextHasNoClasses() {
        val demo = demo()
        demo.type("Text", "the harbour")
        demo.pause(400)
        demo.pause(100)
        assertEquals(1, runner.runs)
        assertEquals(0, demo.count("Type something above."))
        demo.type("Text", " ")
        demo.pause(100)
        demo.sees("Type something above.")
        demo.pause(400)
        demo.pause(100)
        assertEquals(1, runner.runs)
    }

    @Test
    fun ofManyClassesItIsSaidHowManyAreShown() {
        val names = Array(7) { "a_class_$it" }
        TestApplication.current.addModel(Use.CLASSIFY, "classification", listOf("probabilities"),
            *names)
        TestApplication.current.open = { _, _ ->
            TestRunner.classes(0.3f, 0.2f, 0.1f, 0.1f, 0.1f, 0.1f, 0.1f)
        }
        val demo = demo()
        demo.pause(400)
        demo.pause(100)
        demo.sees("a class 0")
        assertEquals(1, demo.count("5 of 7 classes"))
        assertEquals(5, demo.count("a class "))
    }

    @Test
    fun thatATextIsTooLongIsSaid() {
        val demo = demo()
        demo.type("Text", "the ".repeat(TestApplication.LENGTH - 1))
        demo.pause(400)
        demo.pause(100)
        demo.sees("longer than the model reads")
    }
}
