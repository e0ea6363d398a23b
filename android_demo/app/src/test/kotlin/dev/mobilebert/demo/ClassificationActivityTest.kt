package dev.mobilebert.demo

import android.os.Looper
import android.view.ViewGroup
import android.widget.ProgressBar
import android.widget.TextView
import java.time.Duration
import kotlin.test.assertContains
import kotlin.test.assertEquals
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

@RunWith(RobolectricTestRunner::class)
class ClassificationActivityTest {
    private val application = TestApplication.current
    private val runner = TestRunner.classes(0.1f, 0.2f, 0.7f)

    init {
        application.open = { runner }
    }

    private val screen = Screen(ClassificationActivity::class.java)

    private fun pause(milliseconds: Long) {
        shadowOf(Looper.getMainLooper()).idleFor(Duration.ofMillis(milliseconds))
        application.settle()
    }

    @Test
    fun classesAreShownAfterAPauseInTyping() {
        for (text in listOf("T", "Th", "The")) {
            screen.type(R.id.text, text)
            pause(299)
        }
        assertEquals(0, runner.runs)
        assertEquals("", screen.text(R.id.status))
        pause(1)
        assertEquals(1, runner.runs)
        assertEquals("good: 70.0 %", screen.text(R.id.status))
        val rows = screen.view<ViewGroup>(R.id.classes)
        val shown = List(rows.childCount) {
            val row = rows.getChildAt(it)
            Pair(row.view<TextView>(R.id.class_text).text.toString(),
                row.view<ProgressBar>(R.id.class_bar).progress)
        }
        assertEquals(listOf("good: 70.0 %" to 700, "so so: 20.0 %" to 200, "bad: 10.0 %" to 100),
            shown)
    }

    @Test
    fun anEmptyTextHasNoClasses() {
        screen.type(R.id.text, "The")
        pause(300)
        screen.type(R.id.text, " ")
        pause(300)
        assertEquals("", screen.text(R.id.status))
        assertEquals(0, screen.view<ViewGroup>(R.id.classes).childCount)
        assertEquals(1, runner.runs)
    }

    @Test
    fun turningKeepsTextAndClasses() {
        screen.type(R.id.text, "The harbour")
        pause(300)
        screen.turn()
        assertEquals("The harbour", screen.text(R.id.text))
        assertEquals("good: 70.0 %", screen.text(R.id.status))
        assertEquals(1, runner.runs)
    }

    @Test
    fun turningBeforeThePauseClassifiesTheText() {
        screen.type(R.id.text, "The harbour")
        screen.turn()
        assertEquals("good: 70.0 %", screen.text(R.id.status))
    }

    @Test
    fun thatATextIsTooLongIsSaid() {
        screen.type(R.id.text, "the ".repeat(TestApplication.LENGTH - 2))
        pause(300)
        assertEquals(false, "longer than the model reads" in screen.text(R.id.details))
        screen.type(R.id.text, "the ".repeat(TestApplication.LENGTH - 1))
        pause(300)
        assertContains(screen.text(R.id.details), "longer than the model reads")
    }

    @Test
    fun aMissingModelIsSaid() {
        screen.leave()
        application.files.remove("text_classification/model.json")
        val other = Screen(ClassificationActivity::class.java)
        assertContains(other.text(R.id.status), "built without a model")
    }
}
