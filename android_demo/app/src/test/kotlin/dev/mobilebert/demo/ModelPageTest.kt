package dev.mobilebert.demo

import androidx.compose.ui.test.assertIsSelected
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.onNodeWithText
import com.google.ai.edge.litert.LiteRtException
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

@RunWith(RobolectricTestRunner::class)
class ModelPageTest {
    @get:Rule
    val rule = createEmptyComposeRule()
    private val application = TestApplication.current

    private fun page(): Demo {
        val demo = Demo(rule)
        // The screen classifies its sample.
        demo.show(Use.CLASSIFY)
        demo.pause(400)
        demo.tapSymbol("About the model")
        return demo
    }

    @Test
    fun saysWhatTheModelIsAndThatItIsWeak() {
        val demo = page()
        for (text in listOf("tiny", "This model is weak", "f1 0.140 on 3000 examples", "8.0 MB",
            "7,103,618", "int8", "48", "apache-2.0", "The CPU runs all of the model.",
            "ms, the first.")) demo.sees(text)
        demo.tapSymbol("Back")
        demo.sees("Classify as you type")
    }

    @Test
    fun aGpuThatAgreesRunsTheModel() {
        val devices = ArrayList<Device>()
        application.open = { path, device ->
            devices.add(device)
            TestRunner.of(path.substringBefore('/'))
        }
        val demo = page()
        demo.tap("GPU")
        demo.sees("The GPU runs all of the model.")
        rule.onNodeWithText("GPU").assertIsSelected()
        assertEquals(listOf(Device.GPU, Device.CPU), devices.takeLast(2))
    }

    @Test
    fun thatTheCpuRunsInsteadIsSaid() {
        val wrong = TestRunner.classes(0f, 0f, 0f)
        for (gpu in listOf({ throw LiteRtException("no GPU") }, { wrong },
            { throw IllegalArgumentException("no status has the number 77") })) {
            application.open = { path, device ->
                if (device == Device.GPU) gpu() else TestRunner.of(path.substringBefore('/'))
            }
            val demo = page()
            demo.tap("GPU")
            demo.sees("The GPU does not run this model, or gives other numbers.")
            demo.leave()
        }
        assertTrue(wrong.isClosed)
    }

    @Test
    fun aGpuThatIsWrongAtOneLengthOnlyDoesNotRunTheModel() {
        val longer = 2 * TestApplication.LENGTH
        application.files.compute("${Use.CLASSIFY.folder}/model.json") { _, text ->
            checkNotNull(text).replace("\"lengths\": [48]", "\"lengths\": [48, $longer]")
                .replace("{\"48\": \"only\"}", "{\"48\": \"short\", \"$longer\": \"long\"}")
        }
        val right = { TestRunner.of(Use.CLASSIFY.folder) }
        for ((wrongAt, device) in listOf(0 to "GPU", TestApplication.LENGTH to "CPU", longer to "CPU")) {
            application.open = { _, wanted ->
                if (wanted == Device.CPU) right() else TestRunner { ids ->
                    val good = if (ids.size == wrongAt) 0f else 0.7f
                    mapOf("probabilities" to floatArrayOf(0.1f, 0.2f, good))
                }
            }
            val demo = page()
            demo.tap("GPU")
            assertEquals(1, demo.count("$device runs"), "wrong at $wrongAt")
            demo.leave()
        }
    }

    @Test
    fun aModelThatCouldNotBeOpenedIsTriedAgain() {
        application.open = { _, _ -> throw OutOfMemoryError() }
        // Nothing was asked of it yet.
        val demo = Demo(rule)
        demo.tapSymbol("About the model")
        demo.sees("There is not enough memory for this")
        application.open = { path, _ -> TestRunner.of(path.substringBefore('/')) }
        demo.tap("Try again")
        demo.sees("The CPU runs all of the model.")
    }

    @Test
    fun whatWasAskedBeforeIsDoneOnceTheModelIsOpen() {
        application.open = { _, _ -> throw OutOfMemoryError() }
        val demo = page()
        demo.sees("There is not enough memory for this")
        application.open = { path, _ -> TestRunner.of(path.substringBefore('/')) }
        demo.tap("Try again")
        demo.tapSymbol("Back")
        demo.pause(400)
        demo.sees("70.0 %")
    }

    @Test
    fun thePageAndItsModelSurviveTheEndOfTheProcess() {
        val first = Demo(rule)
        first.show(Use.CLASSIFY)
        first.tapSymbol("About the model")
        Demo(rule, saved = first.kill()).sees("The CPU runs all of the model.")
    }
}
