package dev.mobilebert.core

/**
 * Chooses any number of labels for a text: those whose probability is above the threshold. Of a
 * text that is too long the model reads only the beginning.
 *
 * The same labels as `mobilebert predict`, most probable first.
 *
 * @param nanoTime a clock, in nanoseconds.
 * @throws ModelException if the model is of another kind, or its settings cannot be used.
 */
class LabelChooser(
    spec: ModelSpec,
    tokenizer: BertTokenizer,
    runner: TensorRunner,
    nanoTime: () -> Long = System::nanoTime,
) : Engine<Text> {
    private val model = TextModel("multi_label", spec, tokenizer, runner, nanoTime)

    /** The `threshold` in `model.json`, which serves all labels; from 0 to 1. */
    val threshold: Double = readThreshold(spec.settings)

    override fun run(request: Text, beforeRun: (window: Int, count: Int) -> Unit): Outcome {
        val found = model.classify(request) { beforeRun(1, 1) }
        // Python compares in single precision.
        val chosen = found.classes.filter { it.probability > threshold.toFloat() }
        return Outcome.Labels(chosen.map { it.label }, found.classes, found.isCut, found.latency)
    }

    override fun close() = model.close()

    private companion object {
        /** The default is that of `mobilebert_tf.kinds.multi_label`. */
        const val DEFAULT = 0.5

        fun readThreshold(settings: JsonObject?): Double {
            settings?.requireOnly("threshold")
            return settings?.optionalNumber("threshold", 0.0..1.0) ?: DEFAULT
        }
    }
}
