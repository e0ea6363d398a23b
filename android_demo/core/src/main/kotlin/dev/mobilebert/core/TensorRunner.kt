package dev.mobilebert.core

/** Runs a model; what stands between this code and a runtime such as LiteRT. */
interface TensorRunner : AutoCloseable {
    /**
     * Runs one row.
     *
     * @param signature a name of [ModelSpec.signatures].
     * @param inputs by name, each as long as the signature.
     * @return the outputs by name, flat.
     */
    fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray>

    override fun close()
}
