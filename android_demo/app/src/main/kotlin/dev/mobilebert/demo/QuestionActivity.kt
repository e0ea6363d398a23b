package dev.mobilebert.demo

import android.content.Intent
import android.graphics.Rect
import android.os.Bundle
import android.text.Spanned
import android.text.style.BackgroundColorSpan
import android.view.Menu
import android.view.View
import android.view.inputmethod.InputMethodManager
import android.widget.Button
import android.widget.EditText
import android.widget.PopupMenu
import android.widget.ProgressBar
import android.widget.TextView
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Question
import dev.mobilebert.core.Span
import dev.mobilebert.core.State

/** Answers a question and highlights the answer in the passage. */
class QuestionActivity :
    ModelActivity<Question>(R.layout.question, Models::questionAnswerer) {
    private lateinit var passage: EditText
    private lateinit var question: EditText
    private lateinit var cancel: Button
    private lateinit var progress: ProgressBar
    private lateinit var status: TextView
    private lateinit var details: TextView

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        passage = view(R.id.passage)
        question = view(R.id.question)
        cancel = view(R.id.cancel)
        progress = view(R.id.progress)
        status = view(R.id.status)
        details = view(R.id.details)
        view<View>(R.id.ask).setOnClickListener { ask() }
        view<View>(R.id.samples).setOnClickListener(::offerSamples)
        view<View>(R.id.other_screen).setOnClickListener {
            startActivity(Intent(this, ClassificationActivity::class.java))
        }
        cancel.setOnClickListener { presenter.cancel() }
        // The keyboard's action key asks, and yet a long question wraps. A layout file cannot
        // ask for both.
        question.setHorizontallyScrolling(false)
        question.maxLines = Int.MAX_VALUE
        question.setOnEditorActionListener { _, _, _ ->
            ask()
            true
        }
    }

    override fun watchTexts() {
        // An answer is valid only for the texts that it was given for.
        passage.onTextChanged(presenter::cancel)
        question.onTextChanged(presenter::cancel)
    }

    override fun show(state: State) {
        val outcome = (state as? State.Finished)?.outcome
        cancel.isEnabled = state is State.Running
        progress.visibility = if (state is State.Running) View.VISIBLE else View.INVISIBLE
        if (state is State.Running) {
            progress.max = state.count
            progress.progress = state.window
        }
        status.text = describe(state)
        details.text = listOf(describeScore(outcome), describe(outcome?.latency))
            .filter { it.isNotEmpty() }.joinToString("\n")
        highlight((outcome as? Outcome.Answer)?.best)
    }

    private fun ask() {
        if (question.text.isBlank()) {
            question.error = getString(R.string.no_question)
            question.requestFocus()
            return
        }
        // The keyboard covers the place of the answer.
        getSystemService(InputMethodManager::class.java)
            ?.hideSoftInputFromWindow(question.windowToken, 0)
        presenter.submit(Question(question.text.toString(), passage.text.toString()))
    }

    private fun offerSamples(anchor: View) {
        val passages = resources.getStringArray(R.array.sample_passages)
        val questions = resources.getStringArray(R.array.sample_questions)
        PopupMenu(this, anchor).apply {
            val titles = resources.getStringArray(R.array.sample_titles) +
                getString(R.string.own_text)
            titles.forEachIndexed { index, title -> menu.add(Menu.NONE, index, index, title) }
            setOnMenuItemClickListener {
                passage.setText(passages.getOrElse(it.itemId) { "" })
                question.setText(questions.getOrElse(it.itemId) { "" })
                true
            }
            show()
        }
    }

    private fun describe(state: State): String = when (state) {
        State.Loading -> getString(R.string.loading)
        State.Ready -> ""
        is State.Running -> getString(R.string.running, state.window, state.count)
        is State.Error -> state.message
        is State.Finished -> when (val outcome = state.outcome) {
            is Outcome.Answer -> getString(R.string.answer, outcome.best.text)
            else -> getString(R.string.no_answer)
        }
    }

    private fun describeScore(outcome: Outcome?): String {
        val best = (outcome as? Outcome.Answer)?.best ?: return ""
        return getString(R.string.score, best.score, 100 * best.probability)
    }

    private fun highlight(answer: Span?) {
        val text = passage.text
        text.getSpans(0, text.length, BackgroundColorSpan::class.java).forEach(text::removeSpan)
        if (answer == null) return
        text.setSpan(BackgroundColorSpan(getColor(R.color.highlight)), answer.start, answer.end,
            Spanned.SPAN_EXCLUSIVE_EXCLUSIVE)
        passage.post { scrollTo(answer.start) }
    }

    private fun scrollTo(place: Int) {
        val layout = passage.layout ?: return
        // The text may have changed since.
        val line = layout.getLineForOffset(minOf(place, passage.length()))
        val top = passage.totalPaddingTop
        passage.requestRectangleOnScreen(
            Rect(0, top + layout.getLineTop(line), 1, top + layout.getLineBottom(line)))
    }
}
