package dev.mobilebert.core

/**
 * How long the model's runs took, in milliseconds.
 *
 * @param first the time of the first run since the model was loaded; it prepares the kernels.
 * @param median the median of the latest runs after the first; null if there was none.
 * @param latest the times of these runs, the newest last.
 */
class Latency(val first: Double, val median: Double?, val latest: List<Double>)

/** Runs a model with [runner] and measures the time. For one thread at a time. */
internal class TimedRunner(
    private val runner: TensorRunner,
    private val nanoTime: () -> Long,
) : TensorRunner {
    private var first: Double? = null
    private val latest = ArrayDeque<Double>()

    /** The latency of the runs so far; null before the first. */
    val latency: Latency?
        get() = first?.let { Latency(it, median(), latest.toList()) }

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

    /** Runs an input with the shortest signature that fits. */
    fun run(spec: ModelSpec, input: ModelInput, vocabulary: Vocabulary): Map<String, FloatArray> {
        val length = spec.lengthFor(input.ids.size)
        val outputs = run(spec.signature(length), input.tensors(length, vocabulary.padId))
        val missing = spec.outputs - outputs.keys
        if (missing.isNotEmpty()) {
            throw ModelException("The model file has no ${missing.joinToString()}: it is not the " +
                "file that ${ModelFiles.SPEC} describes.", Problem.OtherModelsFile(ModelFiles.SPEC))
        }
        return outputs
    }

    override fun close() = runner.close()

    private fun median(): Double? {
        if (latest.isEmpty()) return null
        val sorted = latest.sorted()
        // Both are the middle one if the number is odd.
        return (sorted[(sorted.size - 1) / 2] + sorted[sorted.size / 2]) / 2
    }

    private companion object {
        const val KEPT = 101
    }
}
