package dev.mobilebert.demo

import android.os.Looper
import android.view.ViewGroup
import android.widget.TextView
import com.example.questions.QuestionsActivity
import dev.mobilebert.core.Cases
import dev.mobilebert.core.LiteRtRunner
import dev.mobilebert.core.ModelFiles
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Question
import dev.mobilebert.core.QuestionAnswerer
import kotlin.test.assertEquals
import kotlin.test.assertIs
import org.junit.Assume.assumeTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf

/** The program of docs/clients.md, which the checks copy from there. */
@RunWith(RobolectricTestRunner::class)
class DocumentedProgramTest {
    @Test
    fun itShowsTheAnswer() {
        assumeTrue("needs exported models and LiteRT",
            System.getProperty("mobilebert.shim") != null)
        val activity = Robolectric.buildActivity(QuestionsActivity::class.java).setup().get()
        val content = checkNotNull(activity.findViewById<ViewGroup>(android.R.id.content))
        val text = content.getChildAt(0) as TextView
        val end = System.nanoTime() + 120_000_000_000
        while (text.text.isEmpty() && System.nanoTime() < end) {
            Thread.sleep(20)
            shadowOf(Looper.getMainLooper()).idle()
        }
        assertEquals(expected(), text.text.toString())
    }

    private fun expected(): String {
        val folder = "shipped/question_answering"
        val files = ModelFiles.read { Cases.file("$folder/$it").inputStream() }
        val passage = "The town clock of Orsa has had a single hand since 1741. Its maker, Pelle " +
            "Grund, was paid for the hours and waited for the rest of the money."
        val runner = LiteRtRunner(Cases.file("$folder/model.tflite").path)
        return QuestionAnswerer(files.spec, files.tokenizer, runner).use {
            val outcome = it.run(Question("Who made the clock?", passage))
            assertIs<Outcome.Answer>(outcome).best.text
        }
    }
}
