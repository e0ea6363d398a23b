package dev.mobilebert.demo

import dev.mobilebert.core.TensorRunner
import java.nio.ByteBuffer
import java.nio.FloatBuffer
import java.nio.IntBuffer
import org.tensorflow.lite.Interpreter

/**
 * Runs a .tflite file on the CPU.
 *
 * @param model the file's content, in a direct buffer.
 * @throws IllegalArgumentException if the content is not a model.
 * @throws UnsatisfiedLinkError if LiteRT has no library for the device.
 */
internal class LiteRtRunner(model: ByteBuffer) : TensorRunner {
    private val interpreter = Interpreter(model, Interpreter.Options().setNumThreads(THREADS))

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
        // The interpreter takes buffers as they are; an array would need a dimension for the row.
        val given = interpreter.getSignatureInputs(signature)
            .associateWith { IntBuffer.wrap(inputs.getValue(it)) }
        val outputs = interpreter.getSignatureOutputs(signature).associateWith {
            val tensor = interpreter.getOutputTensorFromSignature(it, signature)
            FloatBuffer.allocate(tensor.numElements())
        }
        interpreter.runSignature(given, outputs, signature)
        return outputs.mapValues { it.value.array() }
    }

    override fun close() = interpreter.close()

    private companion object {
        const val THREADS = 4
    }
}
