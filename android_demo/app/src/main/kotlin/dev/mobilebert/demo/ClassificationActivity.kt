package dev.mobilebert.demo

import android.os.Bundle
import android.view.View
import android.view.ViewGroup
import android.widget.EditText
import android.widget.ProgressBar
import android.widget.TextView
import dev.mobilebert.core.LabelledClass
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.State
import dev.mobilebert.core.Text

/** Classifies a text while it is typed. */
class ClassificationActivity :
    ModelActivity<Text>(R.layout.classification, Models::textClassifier) {
    private lateinit var text: EditText
    private lateinit var status: TextView
    private lateinit var classes: ViewGroup
    private lateinit var details: TextView

    private var isWaiting = false
    private val classify = Runnable {
        isWaiting = false
        presenter.submit(Text(text.text.toString()))
    }

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        text = view(R.id.text)
        status = view(R.id.status)
        classes = view(R.id.classes)
        details = view(R.id.details)
        view<View>(R.id.other_screen).setOnClickListener { finish() }
    }

    override fun watchTexts() = text.onTextChanged {
        text.removeCallbacks(classify)
        isWaiting = text.text.isNotBlank()
        if (isWaiting) text.postDelayed(classify, PAUSE_MILLISECONDS) else presenter.cancel()
    }

    override fun onStop() {
        // After a rotation the text does not change, so nothing would start a waiting request.
        text.removeCallbacks(classify)
        if (isWaiting) classify.run()
        super.onStop()
    }

    override fun show(state: State) {
        when (state) {
            // The old classes stay until there are new ones.
            is State.Running -> return
            State.Loading -> show(getString(R.string.loading))
            State.Ready -> show("")
            is State.Error -> show(state.message)
            is State.Finished -> show(state.outcome as Outcome.Classes)
        }
    }

    private fun show(message: String) {
        status.text = message
        classes.removeAllViews()
        details.text = ""
    }

    private fun show(outcome: Outcome.Classes) {
        show(describe(outcome.classes.first()))
        outcome.classes.take(SHOWN).forEach(::addRow)
        val cut = if (outcome.isCut) getString(R.string.is_cut) else ""
        details.text = listOf(cut, describe(outcome.latency))
            .filter { it.isNotEmpty() }.joinToString("\n")
    }

    private fun addRow(found: LabelledClass) {
        val row = layoutInflater.inflate(R.layout.class_row, classes, false)
        row.view<TextView>(R.id.class_text).text = describe(found)
        val bar = row.view<ProgressBar>(R.id.class_bar)
        bar.progress = (found.probability * bar.max).toInt()
        classes.addView(row)
    }

    private fun describe(found: LabelledClass) =
        getString(R.string.class_percent, found.label, 100 * found.probability)

    private companion object {
        /** The text is classified after a pause in typing of this length. */
        const val PAUSE_MILLISECONDS = 300L

        /** The most classes on the screen. */
        const val SHOWN = 5
    }
}
