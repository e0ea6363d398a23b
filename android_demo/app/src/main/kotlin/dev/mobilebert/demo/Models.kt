package dev.mobilebert.demo

import com.google.ai.edge.litert.LiteRtException
import dev.mobilebert.core.Engine
import dev.mobilebert.core.EntityFinder
import dev.mobilebert.core.LineSearcher
import dev.mobilebert.core.ModelException
import dev.mobilebert.core.ModelFiles
import dev.mobilebert.core.ModelSpec
import dev.mobilebert.core.Problem
import dev.mobilebert.core.Question
import dev.mobilebert.core.QuestionAnswerer
import dev.mobilebert.core.Search
import dev.mobilebert.core.TensorRunner
import dev.mobilebert.core.Text
import dev.mobilebert.core.TextClassifier
import java.io.IOException

/**
 * Opens the app's models. Each is a folder of assets that `mobilebert package --android` wrote.
 * This is slow: do not call it on the main thread. All throw [ModelException] if a model cannot be
 * opened.
 */
internal object Models {
    private const val MODEL = "model.tflite"

    fun questionAnswerer(app: DemoApplication, device: Device): OpenModel<Question> =
        open(app, Use.ASK, device) { files, runner ->
            QuestionAnswerer(files.spec, files.tokenizer, runner)
        }

    fun lineSearcher(app: DemoApplication, device: Device): OpenModel<Search> =
        open(app, Use.SEARCH, device) { files, runner ->
            LineSearcher(files.spec, files.tokenizer, runner)
        }

    fun textClassifier(app: DemoApplication, device: Device): OpenModel<Text> =
        open(app, Use.CLASSIFY, device) { files, runner ->
            TextClassifier(files.spec, files.tokenizer, runner)
        }

    fun entityFinder(app: DemoApplication, device: Device): OpenModel<String> =
        open(app, Use.FIND, device) { files, runner ->
            EntityFinder(files.spec, files.tokenizer, runner)
        }

    private fun <Request> open(
        app: DemoApplication,
        use: Use,
        wanted: Device,
        create: (ModelFiles, TensorRunner) -> Engine<Request>,
    ): OpenModel<Request> {
        try {
            app.openFile("${use.folder}/${ModelFiles.SPEC}").close()
        } catch (error: IOException) {
            throw ModelException("${use.folder} has no model.", Problem.NoModel, error)
        }
        val files = ModelFiles.read { app.openFile("${use.folder}/$it") }
        val path = "${use.folder}/$MODEL"
        try {
            app.openFile(path).close()
        } catch (error: IOException) {
            throw ModelException("$path is missing.", Problem.MissingFile(MODEL), error)
        }
        val onGpu = if (wanted == Device.GPU) openOnGpu(app, path, files) else null
        val runner = onGpu ?: openOnCpu(app, path, files.spec)
        try {
            val device = if (onGpu == null) Device.CPU else Device.GPU
            return OpenModel(create(files, runner), files.spec, device)
        } catch (error: ModelException) {
            runner.close()
            throw error
        }
    }

    private fun openOnCpu(app: DemoApplication, path: String, spec: ModelSpec): TensorRunner = try {
        app.openRunner(path, spec, Device.CPU)
    } catch (error: IOException) {
        throw ModelException("$path cannot be read.", Problem.UnreadableModel, error)
    } catch (error: LiteRtException) {
        throw ModelException("$path cannot be opened.", Problem.UnreadableModel, error)
    } catch (error: LinkageError) {
        throw ModelException("LiteRT's library is missing.", Problem.NoRuntime, error)
    }

    /** Returns null if the GPU does not run all of the model, or gives other numbers. */
    private fun openOnGpu(app: DemoApplication, path: String, files: ModelFiles): TensorRunner? {
        val runner = try {
            app.openRunner(path, files.spec, Device.GPU)
        } catch (_: Exception) {
            // Drivers fail in many ways, and the CPU runs the model all the same.
            return null
        } catch (_: LinkageError) {
            return null
        } catch (_: OutOfMemoryError) {
            return null
        }
        var isRight = false
        try {
            isRight = openOnCpu(app, path, files.spec).use { GpuCheck(files).agrees(runner, it) }
        } finally {
            if (!isRight) runner.close()
        }
        return runner.takeIf { isRight }
    }
}
