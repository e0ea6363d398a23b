package dev.mobilebert.demo

import android.graphics.Bitmap
import android.graphics.Canvas
import android.view.View
import androidx.compose.ui.test.hasClickAction
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.performClick
import androidx.lifecycle.ViewModelProvider
import dev.mobilebert.core.State
import java.io.File
import kotlin.test.assertIs
import kotlin.test.assertTrue
import org.junit.Assume.assumeTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment

/**
 * Draws each screen with the shipped models, on a phone and a tablet, light and dark. The directory
 * `mobilebert.pictures` keeps the pictures.
 */
@RunWith(RobolectricTestRunner::class)
class PictureTest {
    @get:Rule
    val rule = createEmptyComposeRule()

    private fun draw(name: String, size: String, use: Demo.() -> Unit) {
        assumeTrue("needs exported models and LiteRT",
            System.getProperty("mobilebert.shim") != null)
        for (mode in listOf("notnight", "night")) {
            RuntimeEnvironment.setQualifiers("$size-$mode-xhdpi")
            TestApplication.current.open = null
            val demo = Demo(rule)
            demo.use()
            val picture = picture(demo.activity.window.decorView)
            save(picture, "$name-${if (mode == "night") "dark" else "light"}")
            val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
            assertIs<State.Finished>(model.session(model.use).state, "$name shows no result")
            val pixels = IntArray(picture.width * picture.height)
            picture.getPixels(pixels, 0, picture.width, 0, 0, picture.width, picture.height)
            assertTrue(pixels.toSet().size > 20, "$name is empty")
            demo.leave()
        }
    }

    private fun picture(view: View): Bitmap {
        val bitmap = Bitmap.createBitmap(view.width, view.height, Bitmap.Config.ARGB_8888)
        view.draw(Canvas(bitmap))
        return bitmap
    }

    private fun save(bitmap: Bitmap, name: String) {
        val directory = System.getProperty("mobilebert.pictures") ?: return
        File(directory, "$name.png").outputStream().use {
            bitmap.compress(Bitmap.CompressFormat.PNG, 100, it)
        }
    }

    private fun Demo.tapButton(label: String) {
        rule.onNode(hasText(label) and hasClickAction() and !isSelectable()).performClick()
        settle()
        pause(1_000)
    }

    @Test
    fun ask() = draw("ask", PHONE) { tapButton("Ask") }

    @Test
    fun askOnATablet() = draw("ask-tablet", TABLET) { tapButton("Ask") }

    @Test
    fun askOnAPhoneOnItsSide() = draw("ask-land", "w740dp-h360dp-land") { tapButton("Ask") }

    @Test
    fun search() = draw("search", PHONE) {
        show(Use.SEARCH)
        tapButton("Search")
    }

    @Test
    fun classify() = draw("classify", PHONE) {
        show(Use.CLASSIFY)
        pause(1_000)
        pause(1_000)
    }

    @Test
    fun find() = draw("find", PHONE) {
        show(Use.FIND)
        tapButton("Find entities")
    }

    @Test
    fun model() = draw("model", PHONE) {
        repeat(3) { tapButton("Ask") }
        tapSymbol("About the model")
        pause(1_000)
    }

    private companion object {
        const val PHONE = "w360dp-h740dp"
        const val TABLET = "w1000dp-h700dp-land"
    }
}
