package dev.mobilebert.demo

import android.graphics.Bitmap
import android.graphics.Canvas
import android.view.View
import java.io.File
import kotlin.test.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.GraphicsMode

/** The highlight is visible in pictures, which the directory `mobilebert.pictures` keeps. */
@RunWith(RobolectricTestRunner::class)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
class PictureTest {
    private fun picture(mode: String): Bitmap {
        RuntimeEnvironment.setQualifiers("w360dp-h560dp-$mode-xhdpi")
        TestApplication.current.open = { TestRunner.lastHarbour() }
        val screen = Screen(QuestionActivity::class.java)
        screen.type(R.id.passage,
            "The harbour is old. The fishermen know it well, but nobody in the town knows the " +
                "harbour at night, when the ferries sleep.")
        screen.type(R.id.question, "What does nobody know at night?")
        screen.tap(R.id.ask)
        TestApplication.current.settle()
        // A fake model's times mean nothing.
        screen.view<View>(R.id.details).visibility = View.INVISIBLE
        val view: View = screen.activity.window.decorView
        val bitmap = Bitmap.createBitmap(view.width, view.height, Bitmap.Config.ARGB_8888)
        view.draw(Canvas(bitmap))
        System.getProperty("mobilebert.pictures")?.let { directory ->
            File(directory, "$mode.png").outputStream().use {
                bitmap.compress(Bitmap.CompressFormat.PNG, 100, it)
            }
        }
        return bitmap
    }

    private fun check(mode: String) {
        val bitmap = picture(mode)
        val pixels = IntArray(bitmap.width * bitmap.height)
        bitmap.getPixels(pixels, 0, bitmap.width, 0, 0, bitmap.width, bitmap.height)
        val highlight = TestApplication.current.getColor(R.color.highlight)
        // A highlighted word covers more pixels than this, even without those of its letters.
        assertTrue(pixels.count { it == highlight } > 1000, "the highlight is not in the picture")
    }

    @Test
    fun theHighlightIsSeenByDay() = check("notnight")

    @Test
    fun theHighlightIsSeenByNight() = check("night")
}
