package dev.mobilebert.core

/** A model whose outputs are a function of its inputs; keeps its calls. */
internal class FakeRunner(
    private val outputs: (Map<String, IntArray>) -> Map<String, FloatArray>,
) : TensorRunner {
    val calls = ArrayList<Pair<String, Map<String, IntArray>>>()
    var isClosed = false

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
        calls.add(Pair(signature, inputs))
        return outputs(inputs)
    }

    override fun close() {
        isClosed = true
    }
}

/** Returns a model for which each token with [id] is the best start and end. */
internal fun pointingAt(id: Int) = FakeRunner { inputs ->
    val logits = inputs.getValue("ids").map { if (it == id) 9f else 0f }.toFloatArray()
    mapOf("start_logits" to logits, "end_logits" to logits)
}
