package dev.mobilebert.demo

import androidx.test.platform.app.InstrumentationRegistry
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Question
import dev.mobilebert.core.Text
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertNotNull
import org.junit.Assume.assumeTrue
import org.junit.Test

/** The models that the app was built with, through LiteRT on the device; skipped without them. */
class ModelOnDeviceTest {
    private val app = InstrumentationRegistry.getInstrumentation().targetContext
        .applicationContext as DemoApplication

    private fun assumeModel(use: Use) =
        assumeTrue(app.assets.list(use.folder)?.contains("model.json") == true)

    @Test
    fun everySampleHasAnAnswerInItsPassage() {
        val passages = app.resources.getStringArray(R.array.sample_passages)
        val questions = app.resources.getStringArray(R.array.sample_questions)
        assumeModel(Use.ASK)
        Models.questionAnswerer(app, Device.CPU).engine.use { answerer ->
            for ((passage, question) in passages zip questions) {
                val answer = assertIs<Outcome.Answer>(answerer.run(Question(question, passage)))
                assertEquals(answer.best.text,
                    passage.substring(answer.best.start, answer.best.end))
            }
        }
    }

    @Test
    fun probabilitiesAddUpToOneOnEachDevice() {
        assumeModel(Use.CLASSIFY)
        for (device in Device.entries) {
            Models.textClassifier(app, device).engine.use { classifier ->
                val outcome = assertIs<Outcome.Classes>(classifier.run(Text("A fine film.")))
                assertEquals(1f, outcome.classes.map { it.probability }.sum(), 1e-3f)
                assertNotNull(outcome.latency)
            }
        }
    }
}
