package dev.mobilebert.core

/** A text to classify, with a second text if the model reads two. */
class Text(val text: String, val secondText: String? = null)

/**
 * Classifies texts. Of a text that is too long the model reads only the beginning.
 *
 * The classes equal those of `mobilebert predict`.
 *
 * @param nanoTime a clock, in nanoseconds.
 * @throws ModelException if the model is of another kind.
 */
class TextClassifier(
    internal val spec: ModelSpec,
    tokenizer: BertTokenizer,
    runner: TensorRunner,
    nanoTime: () -> Long = System::nanoTime,
) : Engine<Text> {
    private val model = TextModel("classification", spec, tokenizer, runner, nanoTime)

    override fun run(request: Text, beforeRun: (window: Int, count: Int) -> Unit): Outcome =
        classify(request) { beforeRun(1, 1) }

    internal fun classify(request: Text, beforeRun: () -> Unit): Outcome.Classes =
        model.classify(request, beforeRun)

    override fun close() = model.close()
}
