package dev.mobilebert.demo

import android.os.Looper
import dev.mobilebert.core.TensorRunner
import java.io.FileNotFoundException
import java.io.InputStream
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

/** The app with models of a few words, whose outputs a test chooses. */
class TestApplication : DemoApplication() {
    override val worker = Tasks()

    /** The models' files by path; tests remove or change some. */
    val files = HashMap<String, String>()

    /** Opens every model file. */
    var open: (path: String) -> TensorRunner = { error("no test of a model") }

    init {
        addModel("question_answering", "question_answering", listOf("start_logits", "end_logits"))
        addModel("text_classification", "classification", listOf("probabilities"))
    }

    override fun openFile(path: String): InputStream =
        files[path]?.byteInputStream() ?: throw FileNotFoundException(path)

    override fun openRunner(path: String) = open(path)

    /** Runs the waiting tasks of the worker and of the main thread until none is left. */
    fun settle() {
        do shadowOf(Looper.getMainLooper()).idle() while (worker.runAll())
    }

    fun addModel(folder: String, kind: String, outputs: List<String>) {
        files["$folder/model.json"] = """{"name": "test", "kind": "$kind", "lengths": [$LENGTH],
            "signatures": {"$LENGTH": "only"}, "inputs": {"ids": {}, "mask": {}, "segment_ids": {}},
            "outputs": {${outputs.joinToString { "\"$it\": {}" }}},
            "labels": ["bad", "so so", "good"], "lower_case": true}"""
        files["$folder/vocab.txt"] = WORDS.joinToString("\n")
        files["$folder/normalization.txt"] = NORMALIZATION
    }

    companion object {
        const val LENGTH = 48
        private val WORDS =
            listOf("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "harbour", ".")
        val HARBOUR = WORDS.indexOf("harbour")
        private val NORMALIZATION = checkNotNull(
            TestApplication::class.java.getResource("/normalization_lower_case.txt")).readText()

        val current get() = RuntimeEnvironment.getApplication() as TestApplication
    }
}
