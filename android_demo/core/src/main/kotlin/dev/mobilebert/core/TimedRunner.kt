package dev.mobilebert.core

/**
 * How long the model's runs took, in milliseconds.
 *
 * @param first the first run since the model was loaded, which prepares its kernels.
 * @param median of the latest runs after that; null while there is none.
 */
class Latency(val first: Double, val median: Double?)

/** Runs a model by way of [runner], and measures it. For one thread at a time. */
internal class TimedRunner(
    private val runner: TensorRunner,
    private val nanoTime: () -> Long,
) : TensorRunner {
    private var first: Double? = null
    private val latest = ArrayDeque<Double>()

    /** Of all runs so far; null before the first. */
    val latency: Latency?
        get() = first?.let { Latency(it, median()) }

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
        val start = nanoTime()
        val outputs = runner.run(signature, inputs)
        val milliseconds = (nanoTime() - start) / 1e6
        if (first == null) {
            first = milliseconds
        } else {
            if (latest.size == KEPT) latest.removeFirst()
            latest.addLast(milliseconds)
        }
        return outputs
    }

    /** Runs an input by the shortest signature that fits. */
    fun run(spec: ModelSpec, input: ModelInput, vocabulary: Vocabulary): Map<String, FloatArray> {
        val length = spec.lengthFor(input.ids.size)
        val outputs = run(spec.signature(length), input.tensors(length, vocabulary.padId))
        val missing = spec.outputs - outputs.keys
        if (missing.isNotEmpty()) {
            throw ModelException("The model file has no ${missing.joinToString()}: it is not the " +
                "one that model.json is of.")
        }
        return outputs
    }

    override fun close() = runner.close()

    private fun median(): Double? {
        if (latest.isEmpty()) return null
        val sorted = latest.sorted()
        // The same one twice where their number is odd.
        return (sorted[(sorted.size - 1) / 2] + sorted[sorted.size / 2]) / 2
    }

    private companion object {
        const val KEPT = 101
    }
}
