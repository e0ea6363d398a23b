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
    private val tokenizer: BertTokenizer,
    runner: TensorRunner,
    nanoTime: () -> Long = System::nanoTime,
) : Engine<Text> {
    private val runner = TimedRunner(runner, nanoTime)
    private val classifier = Classifier(spec.labels)

    init {
        spec.require("classification", PROBABILITIES)
    }

    override fun run(request: Text, beforeRun: (window: Int, count: Int) -> Unit): Outcome =
        classify(request) { beforeRun(1, 1) }

    /** Whether the text, and the second one if there is one, has tokens; white space has none. */
    internal fun hasTokens(request: Text): Boolean =
        listOfNotNull(request.text, request.secondText).all { tokenizer.tokenize(it).size > 0 }

    internal fun classify(request: Text, beforeRun: () -> Unit): Outcome.Classes {
        val first = tokenizer.tokenize(request.text).ids
        val second = request.secondText?.let { tokenizer.tokenize(it).ids }
        val input = ModelInput.join(tokenizer.vocabulary, first, second, spec.length)
        val whole = if (second == null) first.size + 2 else first.size + second.size + 3
        beforeRun()
        val outputs = runner.run(spec, input, tokenizer.vocabulary)
        return Outcome.Classes(classifier.rank(outputs.getValue(PROBABILITIES)),
            isCut = whole > spec.length, latency = runner.latency)
    }

    override fun close() = runner.close()

    private companion object {
        const val PROBABILITIES = "probabilities"
    }
}
