package dev.mobilebert.demo

import android.app.Application
import android.os.Handler
import android.os.Looper
import dev.mobilebert.core.TensorRunner
import java.io.InputStream
import java.util.concurrent.Executor
import java.util.concurrent.Executors

/** What the screens share, and what a test replaces. */
open class DemoApplication : Application() {
    /** One thread for every model, so that no two of them compete for the cores. */
    open val worker: Executor = Executors.newSingleThreadExecutor()

    private val handler = Handler(Looper.getMainLooper())

    /** Runs tasks on the main thread. */
    val main = Executor { task -> handler.post(task) }

    /** Opens a file of a model by its path among the assets; `IOException` where it is missing. */
    open fun openFile(path: String): InputStream = assets.open(path)

    /** Opens a .tflite file by its path among the assets, and throws what [LiteRtRunner] does. */
    open fun openRunner(path: String): TensorRunner = LiteRtRunner(assets.map(path))
}
