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
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Problem
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
 * Draws each screen with the shipped models, on a phone and a tablet, light and dark; and what the
 * first screen shows while it has no result, with a model of a few words. The directory
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
            keep(demo, name, mode)
            assertIs<State.Finished>(demo.state(), "$name shows no result")
            demo.leave()
        }
    }

    private fun drawState(
        name: String,
        prepare: TestApplication.() -> Unit = {},
        use: Demo.() -> Unit = {},
        isIt: (State) -> Boolean,
    ) {
        for (mode in listOf("notnight", "night")) {
            RuntimeEnvironment.setQualifiers("$PHONE-$mode-xhdpi")
            val application = TestApplication.current
            application.addModel(Use.ASK, "question_answering",
                listOf("start_logits", "end_logits"))
            application.prepare()
            val demo = Demo(rule)
            demo.use()
            keep(demo, name, mode)
            assertTrue(isIt(demo.state()), "$name shows ${demo.state()}")
            application.worker.isHeld = false
            demo.leave()
        }
    }

    private fun Demo.state(): State {
        val model = ViewModelProvider(activity)[DemoViewModel::class.java]
        return model.session(model.use).state
    }

    private fun keep(demo: Demo, name: String, mode: String) {
        val picture = picture(demo.activity.window.decorView)
        save(picture, "$name-${if (mode == "night") "dark" else "light"}")
        val pixels = IntArray(picture.width * picture.height)
        picture.getPixels(pixels, 0, picture.width, 0, 0, picture.width, picture.height)
        assertTrue(pixels.toSet().size > 20, "$name is empty")
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

    @Test
    fun loading() = drawState("loading", { worker.isHeld = true }) { it is State.Loading }

    @Test
    fun noModel() = drawState("no-model", { files.remove("question_answering/model.json") }) {
        (it as? State.Error)?.problem == Problem.NoModel
    }

    @Test
    fun aDamagedFile() = drawState("damaged", { files["question_answering/vocab.txt"] = "" }) {
        (it as? State.Error)?.problem == Problem.UnusableFile("vocab.txt")
    }

    @Test
    fun noUsableNumbers() = drawState("error", {
        open = { _, _ ->
            TestRunner { ids ->
                val logits = FloatArray(ids.size) { Float.NaN }
                mapOf("start_logits" to logits, "end_logits" to logits)
            }
        }
    }, { tapButton("Ask") }) { (it as? State.Error)?.problem == Problem.NoUsableNumbers }

    @Test
    fun noAnswer() = drawState("no-answer", {
        files.compute("question_answering/model.json") { _, content ->
            checkNotNull(content).replace("\"labels\"",
                "\"settings\": {\"null_threshold\": -99}, \"labels\"")
        }
    }, { tapButton("Ask") }) { it is State.Finished && it.outcome is Outcome.NoAnswer }

    private companion object {
        const val PHONE = "w360dp-h740dp"
        const val TABLET = "w1000dp-h700dp-land"
    }
}
