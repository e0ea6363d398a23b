package dev.mobilebert.core

/** Calls LiteRT's library for Linux through android_demo/checks/litert_shim.c. */
internal object LiteRt {
    /** @param library path of libLiteRt.so. */
    external fun open(library: String, model: String): Long

    external fun signatures(model: Long): Array<String>

    external fun inputNames(model: Long, signature: Int): Array<String>

    external fun outputNames(model: Long, signature: Int): Array<String>

    /** @param inputs in the order of [inputNames]. */
    external fun run(model: Long, signature: Int, inputs: Array<IntArray>): Array<FloatArray>

    external fun close(model: Long)
}

/** Runs a .tflite file on the CPU by the names of signatures and tensors, as the app does. */
internal class LiteRtRunner(path: String) : TensorRunner {
    private val model: Long
    private val signatures: List<String>

    init {
        System.load(Cases.property("mobilebert.shim", "needs gcc and a JDK: make android-checks"))
        val library = Cases.property("mobilebert.litert", "needs LiteRT: make android-checks")
        model = LiteRt.open(library, path)
        signatures = LiteRt.signatures(model).toList()
    }

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
        val index = signatures.indexOf(signature)
        if (index < 0) {
            throw ModelException("The model file has no signature $signature.",
                Problem.OtherModelsFile(ModelFiles.SPEC))
        }
        val values = LiteRt.inputNames(model, index).map { inputs.getValue(it) }
        val outputs = LiteRt.run(model, index, values.toTypedArray())
        return LiteRt.outputNames(model, index).zip(outputs).toMap()
    }

    override fun close() = LiteRt.close(model)
}
