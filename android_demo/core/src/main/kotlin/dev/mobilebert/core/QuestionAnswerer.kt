package dev.mobilebert.core

/** A question on a passage. */
class Question(val question: String, val passage: String)

/**
 * Answers questions with a slice of the passage. The passage may be of any length.
 *
 * The answers equal those of `mobilebert predict` with `--second-text`.
 *
 * @param settings null for the settings in the model's `model.json`.
 * @param nanoTime a clock, in nanoseconds.
 * @throws ModelException if the model is of another kind, or its settings cannot be used.
 */
class QuestionAnswerer(
    private val spec: ModelSpec,
    private val tokenizer: BertTokenizer,
    runner: TensorRunner,
    settings: QuestionSettings? = null,
    nanoTime: () -> Long = System::nanoTime,
) : Engine<Question> {
    private val runner = TimedRunner(runner, nanoTime)

    // First, because the settings of another kind of model have other names.
    init {
        spec.require("question_answering", START, END)
    }

    private val settings = settings ?: QuestionSettings.read(spec.settings)
    private val features = FeatureBuilder(tokenizer, spec.length, this.settings)
    private val decoder = SpanDecoder(this.settings)

    override fun run(request: Question, beforeRun: (window: Int, count: Int) -> Unit): Outcome {
        val asked = tokenizer.tokenize(request.question).size
        if (asked == 0) throw noText("There is no question.")
        val windows = features.windows(request.question, request.passage)
        if (windows.isEmpty()) throw noText("There is no text to look in.")
        val starts = ArrayList<FloatArray>()
        val ends = ArrayList<FloatArray>()
        windows.forEachIndexed { index, window ->
            beforeRun(index + 1, windows.size)
            val outputs = runner.run(spec, window, tokenizer.vocabulary)
            starts.add(outputs.getValue(START))
            ends.add(outputs.getValue(END))
        }
        val decoded = decoder.decode(request.passage, windows, starts, ends)
        val isCut = asked > settings.maxQuestionLength
        if (decoded.spans.isEmpty() || decoded.nullOdds > settings.nullThreshold) {
            return Outcome.NoAnswer(decoded.spans, decoded.nullOdds, isCut, runner.latency)
        }
        return Outcome.Answer(decoded.spans[0], decoded.spans, decoded.nullOdds, isCut,
            runner.latency)
    }

    override fun close() = runner.close()

    private companion object {
        const val START = "start_logits"
        const val END = "end_logits"
    }
}
