package dev.mobilebert.demo

import android.os.Looper
import dev.mobilebert.core.TensorRunner

/** A model whose outputs are a function of its ids. It refuses to work on the main thread's turn. */
class TestRunner(private val outputs: (IntArray) -> Map<String, FloatArray>) : TensorRunner {
    var runs = 0
    var isClosed = false

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
        check(!isClosed) { "the model is closed" }
        check(TestApplication.current.worker.isRunning) { "the model runs on the main thread" }
        runs++
        return outputs(inputs.getValue("ids"))
    }

    override fun close() {
        isClosed = true
    }

    companion object {
        /** Answers with the last "harbour" of a passage. */
        fun lastHarbour(beforeRun: () -> Unit = {}) = TestRunner { ids ->
            beforeRun()
            val logits = FloatArray(ids.size)
            val place = ids.lastIndexOf(TestApplication.HARBOUR)
            if (place >= 0) logits[place] = 9f
            mapOf("start_logits" to logits, "end_logits" to logits)
        }

        /** Gives these probabilities of bad, so so and good. */
        fun classes(vararg probabilities: Float) =
            TestRunner { mapOf("probabilities" to probabilities) }

        /** A text's vector has the direction of how many harbours it has among two ids. */
        private fun harbours() = TestRunner { ids ->
            val count = ids.count { it == TestApplication.HARBOUR }
            mapOf("sentence_embedding" to floatArrayOf(count.toFloat(), 2f))
        }

        /** Every harbour is a place. */
        private fun places() = TestRunner { ids ->
            val logits = FloatArray(3 * ids.size)
            ids.forEachIndexed { token, id ->
                logits[3 * token + if (id == TestApplication.HARBOUR) 1 else 0] = 9f
            }
            mapOf("logits" to logits)
        }

        fun of(folder: String): TestRunner = when (folder) {
            Use.ASK.folder -> lastHarbour()
            Use.SEARCH.folder -> harbours()
            Use.CLASSIFY.folder -> classes(0.1f, 0.2f, 0.7f)
            else -> places()
        }
    }
}
