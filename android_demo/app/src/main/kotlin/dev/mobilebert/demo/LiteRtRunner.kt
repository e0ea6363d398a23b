package dev.mobilebert.demo

import android.content.res.AssetManager
import com.google.ai.edge.litert.Accelerator
import com.google.ai.edge.litert.CompiledModel
import com.google.ai.edge.litert.LiteRtException
import com.google.ai.edge.litert.TensorBuffer
import dev.mobilebert.core.ModelException
import dev.mobilebert.core.ModelFiles
import dev.mobilebert.core.ModelSpec
import dev.mobilebert.core.Problem
import dev.mobilebert.core.TensorRunner

/**
 * Runs a model in the assets with LiteRT. LiteRT maps the file into memory, so it must not be
 * compressed.
 *
 * @param path the path of the .tflite file in the assets.
 * @param device where all of the model runs. With [Device.GPU] alone, LiteRT refuses a model that
 *   has an operation the GPU cannot do; nothing falls back to the CPU unseen.
 * @throws com.google.ai.edge.litert.LiteRtException if the file is not a model, or the device does
 *   not run it.
 * @throws LinkageError if LiteRT has no library for the phone's processor.
 */
internal class LiteRtRunner(
    assets: AssetManager,
    path: String,
    private val spec: ModelSpec,
    device: Device,
) : TensorRunner {
    private val model = CompiledModel.create(assets, path, options(device))

    override fun run(signature: String, inputs: Map<String, IntArray>): Map<String, FloatArray> {
        val open = ArrayList<TensorBuffer>()
        try {
            val given = inputs.mapValues { (name, _) ->
                buffer(name) { model.createInputBuffer(name, signature) }.also { open.add(it) }
            }
            val outputs = spec.outputs.associateWith { name ->
                buffer(name) { model.createOutputBuffer(name, signature) }.also { open.add(it) }
            }
            for ((name, buffer) in given) buffer.writeInt(inputs.getValue(name))
            model.run(given, outputs, signature)
            return outputs.mapValues { it.value.readFloat() }
        } finally {
            open.forEach { it.close() }
        }
    }

    private fun buffer(name: String, create: () -> TensorBuffer): TensorBuffer = try {
        create()
    } catch (error: LiteRtException) {
        throw ModelException("The model file has no $name: it is not the file that " +
            "${ModelFiles.SPEC} describes.", Problem.OtherModelsFile(ModelFiles.SPEC), error)
    }

    override fun close() = model.close()

    private companion object {
        const val THREADS = 4

        fun options(device: Device) = when (device) {
            Device.CPU -> CompiledModel.Options(Accelerator.CPU).apply {
                cpuOptions = CompiledModel.CpuOptions(numThreads = THREADS)
            }
            Device.GPU -> CompiledModel.Options(Accelerator.GPU)
        }
    }
}
