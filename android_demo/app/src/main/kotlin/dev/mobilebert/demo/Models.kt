package dev.mobilebert.demo

import dev.mobilebert.core.Engine
import dev.mobilebert.core.ModelException
import dev.mobilebert.core.ModelFiles
import dev.mobilebert.core.Question
import dev.mobilebert.core.QuestionAnswerer
import dev.mobilebert.core.TensorRunner
import dev.mobilebert.core.Text
import dev.mobilebert.core.TextClassifier
import java.io.IOException

/**
 * Opens the app's models. Each is a folder of assets that `mobilebert package --android` wrote.
 * This is slow: do not call it on the main thread.
 */
internal object Models {
    /** @throws ModelException if it cannot be opened; the message is for the user. */
    fun questionAnswerer(app: DemoApplication): Engine<Question> =
        open(app, "question_answering") { files, runner ->
            QuestionAnswerer(files.spec, files.tokenizer, runner)
        }

    /** @throws ModelException if it cannot be opened; the message is for the user. */
    fun textClassifier(app: DemoApplication): Engine<Text> =
        open(app, "text_classification") { files, runner ->
            TextClassifier(files.spec, files.tokenizer, runner)
        }

    private fun <T> open(
        app: DemoApplication,
        folder: String,
        create: (ModelFiles, TensorRunner) -> T,
    ): T {
        try {
            app.openFile("$folder/${ModelFiles.SPEC}").close()
        } catch (error: IOException) {
            throw ModelException(app.getString(R.string.no_model), error)
        }
        val files = ModelFiles.read { app.openFile("$folder/$it") }
        val runner = openRunner(app, "$folder/model.tflite")
        try {
            return create(files, runner)
        } catch (error: ModelException) {
            runner.close()
            throw error
        }
    }

    private fun openRunner(app: DemoApplication, path: String): TensorRunner = try {
        app.openRunner(path)
    } catch (error: IOException) {
        throw ModelException(app.getString(R.string.model_unreadable), error)
    } catch (error: IllegalArgumentException) {
        throw ModelException(app.getString(R.string.model_unreadable), error)
    } catch (error: UnsatisfiedLinkError) {
        throw ModelException(app.getString(R.string.no_runtime), error)
    }
}
