package dev.mobilebert.demo

import android.app.Activity
import android.os.Bundle
import dev.mobilebert.core.Engine
import dev.mobilebert.core.Latency
import dev.mobilebert.core.Presenter
import dev.mobilebert.core.State

/**
 * A screen that runs a model and shows its results.
 *
 * @param open opens the model on the worker; the screen may be gone by then.
 */
abstract class ModelActivity<Request>(
    private val layout: Int,
    private val open: (DemoApplication) -> Engine<Request>,
) : Activity() {
    /** After a rotation the new screen takes over the presenter, with the open model. */
    protected lateinit var presenter: Presenter<Request>
        private set

    /** Shows a state. */
    protected abstract fun show(state: State)

    /** Starts to listen for changes of the texts, after Android has restored them. */
    protected abstract fun watchTexts()

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        setContentView(layout)
        @Suppress("UNCHECKED_CAST")
        presenter = lastNonConfigurationInstance as Presenter<Request>? ?: newPresenter()
    }

    override fun onPostCreate(savedInstanceState: Bundle?) {
        super.onPostCreate(savedInstanceState)
        watchTexts()
        presenter.observe(::show)
    }

    override fun onRetainNonConfigurationInstance(): Any = presenter

    override fun onDestroy() {
        presenter.stopObserving()
        if (!isChangingConfigurations) presenter.close()
        super.onDestroy()
    }

    /** Describes the times of the runs; empty before the first. */
    protected fun describe(latency: Latency?): String {
        val first = latency?.first ?: return ""
        val median = latency.median ?: return getString(R.string.first_run, first)
        return getString(R.string.first_and_median, first, median)
    }

    private fun newPresenter(): Presenter<Request> {
        // Copied, because a lambda that captures `this` would keep the screen in memory.
        val application = application as DemoApplication
        val open = open
        return Presenter(application.worker, application.main) { open(application) }
    }
}
