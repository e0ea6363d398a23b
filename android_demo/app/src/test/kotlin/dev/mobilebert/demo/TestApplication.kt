package dev.mobilebert.demo

import android.os.Looper
import dev.mobilebert.core.ModelSpec
import dev.mobilebert.core.TensorRunner
import java.io.FileNotFoundException
import java.io.InputStream
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

/** The app with models of a few words, whose outputs a test chooses. */
class TestApplication : DemoApplication() {
    override val worker = Tasks()
    override val reader = Tasks()

    /** The models' files by path; tests remove or change some. */
    val files = HashMap<String, String>()

    /** Opens every model file; null for the app's own way, from the assets. */
    var open: ((path: String, device: Device) -> TensorRunner)? = { path, _ ->
        TestRunner.of(path.substringBefore('/'))
    }

    init {
        addModel(Use.ASK, "question_answering", listOf("start_logits", "end_logits"))
        addModel(Use.SEARCH, "embedding", listOf("sentence_embedding"))
        addModel(Use.CLASSIFY, "classification", listOf("probabilities"), "bad", "so so", "good")
        addModel(Use.FIND, "tagging", listOf("logits"), "O", "B-Place", "I-Place")
    }

    override fun openFile(path: String): InputStream = if (open == null) {
        super.openFile(path)
    } else {
        files[path]?.byteInputStream() ?: throw FileNotFoundException(path)
    }

    override fun openRunner(path: String, spec: ModelSpec, device: Device): TensorRunner =
        open?.invoke(path, device) ?: super.openRunner(path, spec, device)

    /** Runs the waiting tasks of all threads until none is left. */
    fun settle() {
        do shadowOf(Looper.getMainLooper()).idle() while (runAll())
    }

    /** Runs the waiting tasks of all threads but the main one; returns whether there were any. */
    fun runAll(): Boolean = worker.runAll() or reader.runAll()

    fun addModel(use: Use, kind: String, outputs: List<String>, vararg labels: String) {
        val named = if (labels.isEmpty()) "null" else labels.joinToString(",", "[", "]") { "\"$it\"" }
        files["${use.folder}/model.json"] = """{"name": "tiny", "kind": "$kind",
            "lengths": [$LENGTH], "signatures": {"$LENGTH": "only"}, "task": "squad",
            "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}, "licence": "apache-2.0",
            "outputs": {${outputs.joinToString { "\"$it\": {}" }}}, "parameters": 7103618,
            "files": [{"recipe": "int8", "bytes": 7956105, "gate": {"metric": "f1",
            "file_score": 0.14, "examples": 3000}}], "labels": $named, "lower_case": true}"""
        files["${use.folder}/vocab.txt"] = WORDS.joinToString("\n")
        files["${use.folder}/normalization.txt"] = NORMALIZATION
        files["${use.folder}/model.tflite"] = ""
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
