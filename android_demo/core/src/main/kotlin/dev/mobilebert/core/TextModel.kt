package dev.mobilebert.core

/**
 * Runs a model that gives probabilities of classes. Of a text that is too long the model reads only
 * the beginning.
 *
 * @throws ModelException if the model is not of this kind.
 */
internal class TextModel(
    kind: String,
    private val spec: ModelSpec,
    private val tokenizer: BertTokenizer,
    runner: TensorRunner,
    nanoTime: () -> Long,
) : AutoCloseable {
    private val runner = TimedRunner(runner, nanoTime)
    private val classifier = Classifier(spec.labels)

    init {
        spec.require(kind, PROBABILITIES)
    }

    /** @throws ModelException if a text has no tokens. */
    fun classify(request: Text, beforeRun: () -> Unit): Outcome.Classes {
        val first = tokenizer.tokenize(request.text).ids
        val second = request.secondText?.let { tokenizer.tokenize(it).ids }
        if (first.isEmpty()) throw noText("There is no text to read.")
        if (second?.isEmpty() == true) throw noText("There is no second text to read.")
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
