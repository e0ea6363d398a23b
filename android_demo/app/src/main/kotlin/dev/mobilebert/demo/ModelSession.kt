package dev.mobilebert.demo

import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import dev.mobilebert.core.Engine
import dev.mobilebert.core.Latency
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Presenter
import dev.mobilebert.core.State

/**
 * A model and what it is doing, for screens to observe. Opens the model at the first request or
 * [start]. Call it on the main thread.
 *
 * @param open opens the model on the worker.
 * @param onFinished called after each request that succeeded.
 */
class ModelSession<Request>(
    private val app: DemoApplication,
    private val open: (DemoApplication, Device) -> OpenModel<Request>,
    private val onFinished: (Outcome) -> Unit = {},
) : AutoCloseable {
    /** What the model is doing. */
    var state: State by mutableStateOf(State.Loading)
        private set

    /** The open model; null while it is not. */
    var model: OpenModel<Request>? by mutableStateOf(null)
        private set

    /** The latency of the runs so far; null before the first. */
    var latency: Latency? by mutableStateOf(null)
        private set

    /** What should run the model; [OpenModel.device] is what does. */
    var wanted: Device by mutableStateOf(Device.CPU)
        private set

    /** The newest request, unless it was cancelled. */
    var request: Request? = null
        private set

    private var presenter: Presenter<Request>? = null

    fun start() {
        if (presenter == null) presenter = newPresenter()
    }

    /** Opens the model again, and does the newest request. */
    fun startAgain() {
        close()
        val again = request
        start()
        if (again != null) submit(again)
    }

    fun submit(request: Request) {
        // Memory may be free again that was not.
        if (model == null && state is State.Error) close()
        start()
        this.request = request
        presenter?.submit(request)
    }

    fun cancel() {
        request = null
        presenter?.cancel()
    }

    /** Opens the model again on another device, and does the newest request there. */
    fun use(device: Device) {
        if (device == wanted) return
        wanted = device
        startAgain()
    }

    override fun close() {
        presenter?.close()
        presenter = null
        model = null
        latency = null
        state = State.Loading
    }

    private fun newPresenter(): Presenter<Request> {
        val device = wanted
        lateinit var created: Presenter<Request>
        created = Presenter(app.worker, app.main) { openEngine(device) { created } }
        created.observe { shown ->
            state = shown
            if (shown is State.Finished) {
                latency = shown.outcome.latency
                onFinished(shown.outcome)
            }
        }
        return created
    }

    private fun openEngine(device: Device, owner: () -> Presenter<Request>): Engine<Request> {
        val opened = open(app, device)
        app.main.execute { if (presenter === owner()) model = opened }
        return opened.engine
    }
}
