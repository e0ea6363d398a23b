package dev.mobilebert.core

/** What a screen asks a model to do. Slow; for one thread at a time. */
interface Engine<in Request> : AutoCloseable {
    /**
     * Does it.
     *
     * @param beforeRun told the number of the window that runs next, from 1, and how many there
     *   are; what it throws ends the work.
     * @throws ModelException for what cannot be done, in words for the user.
     */
    fun run(request: Request, beforeRun: (window: Int, count: Int) -> Unit = { _, _ -> }): Outcome

    override fun close()
}

/** What a model said. */
sealed interface Outcome {
    /** Of the model's runs since it was loaded; null where there was nothing to run. */
    val latency: Latency?

    /** @param alternatives the best spans, [best] first. */
    class Answer(
        val best: Span,
        val alternatives: List<Span>,
        val nullOdds: Double,
        override val latency: Latency?,
    ) : Outcome

    /** The passage does not answer the question. */
    class NoAnswer(val nullOdds: Double, override val latency: Latency?) : Outcome

    /** @param isCut whether the model saw only the beginning of the text. */
    class Classes(
        val classes: List<LabelledClass>,
        val isCut: Boolean,
        override val latency: Latency?,
    ) : Outcome
}
