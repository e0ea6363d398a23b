package dev.mobilebert.demo

import dev.mobilebert.core.ModelFiles
import dev.mobilebert.core.ModelInput
import dev.mobilebert.core.TensorRunner
import kotlin.math.abs

/**
 * Compares a GPU's numbers with the CPU's on one input of each length. A GPU that cannot run a file
 * may give wrong numbers without a message.
 */
internal class GpuCheck(private val files: ModelFiles) {
    fun agrees(gpu: TensorRunner, cpu: TensorRunner): Boolean =
        files.spec.lengths.all { agrees(gpu, cpu, it) }

    private fun agrees(gpu: TensorRunner, cpu: TensorRunner, length: Int): Boolean {
        val vocabulary = files.tokenizer.vocabulary
        val ids = IntArray(length / 2) { vocabulary.pieces.size * it / length }
        val tensors = ModelInput.join(vocabulary, ids, null, length).tensors(length, vocabulary.padId)
        val signature = files.spec.signature(length)
        val found = try {
            gpu.run(signature, tensors)
        } catch (_: Exception) {
            return false
        }
        val expected = cpu.run(signature, tensors)
        return expected.all { (name, values) -> isNear(values, found.getValue(name)) }
    }

    private fun isNear(expected: FloatArray, found: FloatArray): Boolean {
        val most = expected.maxOf { abs(it) }
        return expected.size == found.size &&
            expected.indices.all { abs(expected[it] - found[it]) <= TOLERANCE * most }
    }

    private companion object {
        /** GPUs compute in half precision. */
        const val TOLERANCE = 0.05f
    }
}
