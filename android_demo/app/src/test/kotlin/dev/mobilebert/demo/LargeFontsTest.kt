package dev.mobilebert.demo

import android.app.Activity
import android.os.Looper
import android.view.View
import android.widget.ScrollView
import android.widget.TextView
import java.time.Duration
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.GraphicsMode

/** Both screens on a small phone with the largest font of Android's settings. */
@RunWith(RobolectricTestRunner::class)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
@Config(qualifiers = "w320dp-h480dp-mdpi")
class LargeFontsTest {
    private val application = TestApplication.current

    /** Returns a screen that was used and laid out. */
    private fun <A : Activity> screen(type: Class<A>, scale: Float, use: Screen<A>.() -> Unit) =
        Screen(type, scale).apply {
            use()
            application.settle()
            shadowOf(Looper.getMainLooper()).idleFor(Duration.ofSeconds(1))
            application.settle()
        }

    private fun <A : Activity> check(type: Class<A>, use: Screen<A>.() -> Unit) {
        val usual = screen(type, 1f, use).views()
        val views = screen(type, 2f, use).views()
        assertEquals(usual.map { it.javaClass }, views.map { it.javaClass })
        val page = views.filterIsInstance<ScrollView>().single()
        for ((small, text) in usual.zip(views)) {
            if (text !is TextView || text.visibility != View.VISIBLE) continue
            // Large texts grow by less than the scale since Android 14.
            assertTrue(text.textSize > 1.5 * (small as TextView).textSize, "$text does not grow")
            assertWhole(text)
            assertTrue(text.leftOf(page) >= 0 && text.leftOf(page) + text.width <= page.width,
                "$text is beside the screen")
        }
        assertTrue(page.canScrollVertically(1), "what is below the screen is out of reach")
    }

    /** Asserts that all lines of the text are shown, to their ends. */
    private fun assertWhole(view: TextView) {
        val layout = view.layout
        val lines = 0 until layout.lineCount
        assertEquals(view.text.length, layout.getLineEnd(lines.last))
        assertTrue(lines.all { layout.getEllipsisCount(it) == 0 }, "$view is cut short")
        assertTrue(lines.all { layout.getLineMax(it) <= view.width - view.totalPaddingLeft -
            view.totalPaddingRight }, "$view is cut at its side")
        assertTrue(layout.height <= view.height - view.totalPaddingTop - view.totalPaddingBottom,
            "$view is cut below")
    }

    private fun View.leftOf(page: View): Int =
        if (this === page) 0 else left + (parent as View).leftOf(page)

    @Test
    fun questionScreen() {
        application.open = { TestRunner.lastHarbour() }
        check(QuestionActivity::class.java) {
            type(R.id.passage, "The harbour is old. ".repeat(9))
            type(R.id.question, "What do all the fishermen of the town know well?")
            tap(R.id.ask)
        }
    }

    @Test
    fun classificationScreen() {
        application.open = { TestRunner.classes(0.1f, 0.2f, 0.7f) }
        check(ClassificationActivity::class.java) { type(R.id.text, "The harbour") }
    }
}
