package dev.mobilebert.demo

import dev.mobilebert.core.TensorRunner

/** A model whose outputs are a function of its ids. */
class TestRunner(private val outputs: (IntArray) -> Map<String, FloatArray>) : TensorRunner {
    var runs = 0
    var isClosed = false

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
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
    }
}
