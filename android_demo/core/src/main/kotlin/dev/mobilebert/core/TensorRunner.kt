package dev.mobilebert.core

/** Runs a model; the interface to a runtime such as LiteRT. */
interface TensorRunner : AutoCloseable {
    /**
     * Runs one row.
     *
     * @param signature one of the names in [ModelSpec.signatures].
     * @param inputs the inputs by name, each as long as the signature.
     * @return the flattened outputs by name.
     */
    fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray>

    override fun close()
}
