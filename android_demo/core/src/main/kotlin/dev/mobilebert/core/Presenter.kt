package dev.mobilebert.core

import java.util.concurrent.CancellationException
import java.util.concurrent.Executor
import java.util.concurrent.atomic.AtomicInteger

/**
 * Keeps a screen's state while a model works on another thread.
 *
 * Call every method on the main thread. A new request replaces the older one: its work ends at the
 * next window, and its results are never shown. A presenter outlives its screen: after a rotation
 * the new screen observes the same presenter.
 *
 * @param worker runs the model; a single thread that runs tasks in order.
 * @param main runs tasks on the main thread in order.
 * @param load opens the model; runs on the worker.
 */
class Presenter<Request>(
    private val worker: Executor,
    private val main: Executor,
    private val load: () -> Engine<Request>,
) : AutoCloseable {
    // The number of the newest request; work on an older one stops.
    private val newest = AtomicInteger()

    // Only the worker uses these two.
    private var engine: Engine<Request>? = null
    private var loadProblem: Problem? = null

    private var observer: ((State) -> Unit)? = null
    private var isLoaded = false

    /** What the screen should show. */
    var state: State = State.Loading
        private set

    init {
        worker.execute(::loadEngine)
    }

    /** Calls [observer] with the present state, and with each later one. */
    fun observe(observer: (State) -> Unit) {
        this.observer = observer
        observer(state)
    }

    /** Ends [observe], because the screen is gone. */
    fun stopObserving() {
        observer = null
    }

    /** Starts work on a request; it replaces the one before. */
    fun submit(request: Request) {
        val number = newest.incrementAndGet()
        // What is shown of an older request would stand beside the new one.
        if (isLoaded) update(State.Waiting)
        worker.execute { work(number, request) }
    }

    /** Cancels the request; its work ends at the next window. */
    fun cancel() {
        newest.incrementAndGet()
        if (isLoaded) update(State.Ready)
    }

    /** Cancels the request, and closes the model after its run. No state is shown afterwards. */
    override fun close() {
        newest.set(CLOSED)
        observer = null
        worker.execute {
            engine?.close()
            engine = null
        }
    }

    private fun loadEngine() {
        if (newest.get() == CLOSED) return
        val problem = problemOf { engine = load() }
        loadProblem = problem
        main.execute {
            isLoaded = problem == null
            if (newest.get() != CLOSED && state is State.Loading) {
                update(if (problem == null) State.Ready else State.Error(problem))
            }
        }
    }

    private fun work(number: Int, request: Request) {
        if (newest.get() != number) return
        val engine = engine
        if (engine == null) {
            show(number, State.Error(loadProblem ?: Problem.NoModel))
            return
        }
        val problem = problemOf {
            val outcome = engine.run(request) { window, count ->
                if (newest.get() != number) throw CancellationException()
                show(number, State.Running(window, count))
            }
            show(number, State.Finished(outcome))
        }
        if (problem != null) show(number, State.Error(problem))
    }

    /** Does the work and returns what went wrong; null if it succeeded or was cancelled. */
    private fun problemOf(work: () -> Unit): Problem? = try {
        work()
        null
    } catch (_: CancellationException) {
        null
    } catch (error: ModelException) {
        error.problem
    } catch (_: OutOfMemoryError) {
        Problem.NotEnoughMemory
    } catch (error: Exception) {
        Problem.Unexpected(error.javaClass.simpleName)
    }

    private fun show(number: Int, state: State) {
        main.execute { if (newest.get() == number) update(state) }
    }

    private fun update(state: State) {
        this.state = state
        observer?.invoke(state)
    }

    private companion object {
        /** Not the number of any request: these count up from 1. */
        const val CLOSED = Int.MIN_VALUE
    }
}
