package dev.mobilebert.core

/**
 * Asks a small classifier, and a larger one where the small one is not sure.
 *
 * The answers equal those of `mobilebert predict` with the same file. A classifier is as sure as its
 * best class is probable, and not sure where its numbers are not finite. No model is asked about a
 * text without tokens.
 *
 * @param first the small classifier; it and [second] are closed with the cascade.
 * @throws ModelException if the models are not those for which the threshold was chosen.
 */
class Cascade(
    private val settings: CascadeSettings,
    private val first: TextClassifier,
    private val second: TextClassifier,
) : Engine<Text> {
    init {
        listOf(first, second).zip(settings.checksums) { model, checksum ->
            val known = model.spec.facts.checksums
            if (model.spec.labels != settings.labels) {
                throw ModelException("The models of the cascade have other labels than its file.",
                    Problem.OtherModelsFile(settings.file))
            }
            if (known.isNotEmpty() && checksum !in known) {
                throw ModelException("The cascade's threshold was chosen for other models than " +
                    "${model.spec.name}: choose it again.", Problem.OtherModelsFile(settings.file))
            }
        }
    }

    /** A result, and whose it is. */
    class Answer(val classes: Outcome.Classes, val isOfSecond: Boolean) {
        /** The probability of the best class. */
        val confidence: Float = classes.classes.first().probability
    }

    override fun run(request: Text, beforeRun: (window: Int, count: Int) -> Unit): Outcome =
        classify(request, beforeRun).classes

    /** Does the same as [run], and tells which model answered. */
    fun classify(
        request: Text,
        beforeRun: (window: Int, count: Int) -> Unit = { _, _ -> },
    ): Answer {
        try {
            val answer = Answer(first.classify(request) { beforeRun(1, 2) }, isOfSecond = false)
            if (answer.confidence > settings.threshold) return answer
        } catch (error: ModelException) {
            if (error.problem != Problem.NoUsableNumbers) throw error
        }
        return Answer(second.classify(request) { beforeRun(2, 2) }, isOfSecond = true)
    }

    override fun close() {
        first.close()
        second.close()
    }
}
