// Stands in for LiteRT's Kotlin classes, which no registry that the checks use has. Names and
// signatures are those of litert/kotlin in google-ai-edge/LiteRT 2.3, as far as the app calls them.
// A model runs through litert_shim.c, with LiteRT's own library for Linux.
package com.google.ai.edge.litert

import android.content.res.AssetManager
import dev.mobilebert.core.LiteRt
import java.io.File

enum class Accelerator(val value: Int) { NONE(0), CPU(1), GPU(2), NPU(3) }

class LiteRtException(message: String) : Exception(message)

class TensorBuffer internal constructor(internal val name: String) : AutoCloseable {
    internal var ints: IntArray? = null
    internal var floats: FloatArray? = null

    fun writeInt(data: IntArray) {
        ints = data
    }

    fun readFloat(): FloatArray = floats ?: throw LiteRtException("$name was not written")

    override fun close() = Unit
}

class CompiledModel private constructor(path: String) : AutoCloseable {
    class CpuOptions(val numThreads: Int? = null)

    class Options(vararg val accelerators: Accelerator) {
        var cpuOptions: CpuOptions? = null
    }

    private val handle = open(path)
    private val signatures = LiteRt.signatures(handle)

    fun createInputBuffer(inputName: String, signature: String? = null): TensorBuffer =
        buffer(inputName, LiteRt.inputNames(handle, index(signature)))

    fun createOutputBuffer(outputName: String, signature: String? = null): TensorBuffer =
        buffer(outputName, LiteRt.outputNames(handle, index(signature)))

    fun run(
        inputs: Map<String, TensorBuffer>,
        outputs: Map<String, TensorBuffer>,
        signature: String? = null,
    ) {
        val index = index(signature)
        val given = LiteRt.inputNames(handle, index).map {
            inputs[it]?.ints ?: throw LiteRtException("the input $it was not written")
        }
        val found = LiteRt.run(handle, index, given.toTypedArray())
        LiteRt.outputNames(handle, index).zip(found) { name, values ->
            outputs[name]?.floats = values
        }
    }

    override fun close() = LiteRt.close(handle)

    private fun buffer(name: String, names: Array<String>): TensorBuffer =
        if (name in names) TensorBuffer(name) else throw LiteRtException("there is no $name")

    private fun index(signature: String?): Int = signatures.indexOf(signature).also {
        if (it < 0) throw LiteRtException("there is no signature $signature")
    }

    companion object {
        fun create(
            assetManager: AssetManager,
            assetName: String,
            options: Options = Options(Accelerator.CPU),
        ): CompiledModel {
            // The library for Linux has no GPU.
            if (options.accelerators.asList() != listOf(Accelerator.CPU)) {
                throw LiteRtException("no GPU")
            }
            val file = File.createTempFile("model", ".tflite")
            try {
                assetManager.open(assetName).use { asset ->
                    file.outputStream().use { asset.copyTo(it) }
                }
                return CompiledModel(file.path)
            } finally {
                file.delete()
            }
        }

        private fun open(path: String): Long = try {
            System.load(System.getProperty("mobilebert.shim"))
            LiteRt.open(System.getProperty("mobilebert.litert"), path)
        } catch (error: IllegalStateException) {
            throw LiteRtException(error.message.orEmpty())
        }
    }
}
