package dev.mobilebert.demo

import android.app.Application
import android.net.Uri
import android.os.Bundle
import android.widget.Toast
import android.widget.Toast.LENGTH_LONG
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateListOf
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import androidx.lifecycle.AndroidViewModel
import androidx.lifecycle.SavedStateHandle
import dev.mobilebert.core.Outcome
import dev.mobilebert.core.Question
import dev.mobilebert.core.Search
import dev.mobilebert.core.Text
import dev.mobilebert.demo.ui.LONGEST_TO_EDIT
import java.io.File

/**
 * The texts of all screens and their models. It outlives a rotation. After the end of the process
 * it has the texts again, and asks the models again for what was on the screens.
 */
class DemoViewModel(app: Application, private val saved: SavedStateHandle) :
    AndroidViewModel(app) {
    val answerer = ModelSession(app as DemoApplication, Models::questionAnswerer, ::remember)
    val searcher = ModelSession(app as DemoApplication, Models::lineSearcher)
    val classifier = ModelSession(app as DemoApplication, Models::textClassifier)
    val finder = ModelSession(app as DemoApplication, Models::entityFinder)

    /** The screen that is shown. */
    var use by mutableStateOf(Use.valueOf(saved[USE] ?: Use.ASK.name))
        private set

    private val samples = app.resources
    val passage = text("passage", samples.getStringArray(R.array.sample_passages)[0]) {
        answerer.cancel()
    }
    val question = text("question", samples.getStringArray(R.array.sample_questions)[0],
        MOST_IN_FIELD) { answerer.cancel() }
    val lines = text("lines", samples.getString(R.string.sample_lines)) { searcher.cancel() }
    val query = text("query", samples.getString(R.string.sample_query), MOST_IN_FIELD) {
        searcher.cancel()
    }
    // A text field holds all of it, so a longer one is cut, and the screen says so.
    val text = text("text", samples.getString(R.string.sample_text), LONGEST_TO_EDIT) {
        forgetClasses()
    }
    val document = text("document", samples.getString(R.string.sample_document)) {
        finder.cancel()
    }

    /** The newest questions, newest first. */
    val history = mutableStateListOf<HistoryEntry>()

    init {
        restoreHistory()
        saved.setSavedStateProvider(DONE, ::whatIsDone)
        val done = saved.get<Bundle>(DONE)
        if (done?.getBoolean(Use.ASK.name) == true) ask()
        if (done?.getBoolean(Use.SEARCH.name) == true) search()
        if (done?.getBoolean(Use.FIND.name) == true) find()
    }

    /** What is shown of it. */
    var page by mutableStateOf(Page.valueOf(saved[PAGE] ?: Page.USE.name))
        private set

    fun show(use: Use) {
        this.use = use
        saved[USE] = use.name
        show(Page.USE)
    }

    fun show(page: Page) {
        this.page = page
        saved[PAGE] = page.name
    }

    /** The model of a screen. */
    fun session(use: Use): ModelSession<*> = when (use) {
        Use.ASK -> answerer
        Use.SEARCH -> searcher
        Use.CLASSIFY -> classifier
        Use.FIND -> finder
    }

    fun ask() {
        // The answer is marked in the text, which an editor cannot show.
        passage.isEdited = false
        answerer.submit(Question(question.value, passage.value))
    }

    fun search() = searcher.submit(Search(query.value, lines.value.lines()))

    fun find() {
        document.isEdited = false
        finder.submit(document.value)
    }

    /** Classifies the text, unless that is done already, or there is none. */
    fun classify() {
        if (text.value.isNotBlank() && classifier.request?.text != text.value) {
            classifier.submit(Text(text.value))
        }
    }

    private fun forgetClasses() {
        if (text.value.isBlank()) classifier.cancel()
    }

    /** Shows a text from another app on all screens; the user asks about it. */
    fun receive(shared: String) {
        val taken = shared.beginning(MOST_SHARED)
        if (taken.length < shared.length) {
            val app = getApplication<DemoApplication>()
            tell(app.getString(R.string.shared_text_is_cut, MOST_SHARED))
        }
        passage.value = taken
        question.value = ""
        lines.value = taken
        query.value = ""
        text.value = taken
        document.value = taken
        for (own in listOf(passage, lines, document)) own.isEdited = false
        show(Use.ASK)
    }

    /** Shows a text file from another app as [receive] does a text, or says that it cannot. */
    fun receive(file: Uri) {
        val app = getApplication<DemoApplication>()
        app.reader.execute {
            // One character more, to notice a longer file.
            val text = SharedFile(app.contentResolver).read(file, MOST_SHARED + 1)
            app.main.execute {
                if (text.isNullOrBlank()) tell(app.getString(R.string.unreadable_file))
                else receive(text)
            }
        }
    }

    private fun tell(sentence: String) =
        Toast.makeText(getApplication(), sentence, LENGTH_LONG).show()

    /** Keeps a question and its answer in the history, which is part of the saved state. */
    private fun remember(outcome: Outcome) {
        val asked = answerer.request ?: return
        val answer = (outcome as? Outcome.Answer)?.best?.text
        val entry = HistoryEntry(asked.question, answer?.beginning(MOST_IN_FIELD))
        history.removeAll { it.question == entry.question }
        history.add(0, entry)
        if (history.size > MOST_REMEMBERED) history.removeAt(history.lastIndex)
    }

    override fun onCleared() {
        for (use in Use.entries) session(use).close()
    }

    private fun text(
        key: String,
        initial: String,
        most: Int = Int.MAX_VALUE,
        onChange: () -> Unit,
    ): SavedText {
        val file = File(getApplication<DemoApplication>().filesDir, "$key.txt")
        return SavedText(saved, key, file, initial, most, onChange)
    }

    private fun whatIsDone() = Bundle().apply {
        // The screen that classifies does so again as soon as it is shown.
        for (use in Use.entries - Use.CLASSIFY) putBoolean(use.name, session(use).request != null)
        putStringArray(QUESTIONS, history.map { it.question }.toTypedArray())
        putStringArray(ANSWERS, history.map { it.answer }.toTypedArray())
    }

    private fun restoreHistory() {
        val done = saved.get<Bundle>(DONE) ?: return
        val questions = done.getStringArray(QUESTIONS).orEmpty()
        val answers = done.getStringArray(ANSWERS).orEmpty()
        history.addAll(questions.zip(answers, ::HistoryEntry))
    }

    private companion object {
        const val USE = "use"
        const val PAGE = "page"
        const val DONE = "done"
        const val QUESTIONS = "questions"
        const val ANSWERS = "answers"
        const val MOST_REMEMBERED = 20

        /** The most characters of a question, a query, and an answer in the history. */
        const val MOST_IN_FIELD = 1_000

        /** The most characters of a shared text: a long book. */
        const val MOST_SHARED = 2_000_000
    }
}
