package dev.mobilebert.demo

import android.app.Application
import android.os.Handler
import android.os.Looper
import dev.mobilebert.core.ModelSpec
import dev.mobilebert.core.TensorRunner
import java.io.InputStream
import java.util.concurrent.Executor
import java.util.concurrent.Executors

/** Holds what the screens share; tests replace parts of it. */
open class DemoApplication : Application() {
    /** One thread for all models, so that two models do not compete for the cores. */
    open val worker: Executor = Executors.newSingleThreadExecutor()

    /** Reads shared files, which end the work of the models and so cannot wait for it. */
    open val reader: Executor = Executors.newSingleThreadExecutor()

    private val handler = Handler(Looper.getMainLooper())

    /** Runs tasks on the main thread. */
    val main = Executor { task -> handler.post(task) }

    /** Opens a model's file by its path in the assets; throws `IOException` if it is missing. */
    open fun openFile(path: String): InputStream = assets.open(path)

    /** Opens a .tflite file by its path in the assets; throws what [LiteRtRunner] throws. */
    open fun openRunner(path: String, spec: ModelSpec, device: Device): TensorRunner =
        LiteRtRunner(assets, path, spec, device)
}
