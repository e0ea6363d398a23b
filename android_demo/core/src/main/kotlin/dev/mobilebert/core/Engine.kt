package dev.mobilebert.core

/** Does what a screen asks of a model. It is slow, and for one thread at a time. */
interface Engine<in Request> : AutoCloseable {
    /**
     * Runs the model on a request.
     *
     * @param beforeRun called before each window with its number, from 1, and the number of
     *   windows; an exception that it throws ends the work.
     * @throws ModelException if the request cannot be done; the message is for the user.
     */
    fun run(request: Request, beforeRun: (window: Int, count: Int) -> Unit = { _, _ -> }): Outcome

    override fun close()
}

/** The result of a request. */
sealed interface Outcome {
    /** The latency of the runs since the model was loaded; null if it has not run. */
    val latency: Latency?

    /**
     * @param alternatives the best spans, [best] first.
     * @param isCut whether the question was too long, so that the model read only its beginning.
     */
    class Answer(
        val best: Span,
        val alternatives: List<Span>,
        val nullOdds: Double,
        val isCut: Boolean,
        override val latency: Latency?,
    ) : Outcome

    /**
     * The passage does not answer the question.
     *
     * @param alternatives the best spans all the same, best first.
     * @param isCut as of [Answer].
     */
    class NoAnswer(
        val alternatives: List<Span>,
        val nullOdds: Double,
        val isCut: Boolean,
        override val latency: Latency?,
    ) : Outcome

    /**
     * Lines, most alike first.
     *
     * @param cutLines how many lines were too long, so that the model read only their beginning.
     * @param isQueryCut whether the query was too long as well.
     */
    class Matches(
        val matches: List<Match>,
        val cutLines: Int,
        val isQueryCut: Boolean,
        override val latency: Latency?,
    ) : Outcome

    /** Entities in the order of the text; empty if there are none. */
    class Entities(val entities: List<Entity>, override val latency: Latency?) : Outcome

    /** @param isCut whether the text was too long, so that the model read only its beginning. */
    class Classes(
        val classes: List<LabelledClass>,
        val isCut: Boolean,
        override val latency: Latency?,
    ) : Outcome

    /**
     * @param labels the labels that the text has, most probable first; there may be none.
     * @param classes all labels with their probabilities, most probable first.
     * @param isCut as of [Classes].
     */
    class Labels(
        val labels: List<String>,
        val classes: List<LabelledClass>,
        val isCut: Boolean,
        override val latency: Latency?,
    ) : Outcome
}
