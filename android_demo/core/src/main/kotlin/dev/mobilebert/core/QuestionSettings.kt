package dev.mobilebert.core

/**
 * How questions are cut into windows, and how answers are chosen: `settings` in `model.json`.
 * The defaults are those of `mobilebert_tf.data.features.question_settings`.
 *
 * @param maxQuestionLength the most tokens of a question; a longer one loses its end.
 * @param stride tokens from the start of a window to the start of the next.
 * @param maxAnswerLength the most tokens of an answer.
 * @param nBest the number of starts, of ends and of spans that the decoder considers.
 * @param nullThreshold null odds above which there is no answer; infinite if there always is one.
 */
data class QuestionSettings(
    val maxQuestionLength: Int = 64,
    val stride: Int = 128,
    val maxAnswerLength: Int = 30,
    val nBest: Int = 20,
    val nullThreshold: Double = Double.POSITIVE_INFINITY,
) {
    init {
        for (value in listOf(maxQuestionLength, stride, maxAnswerLength, nBest)) {
            require(value in POSSIBLE) { "settings are from 1 to $MOST. Received: $value" }
        }
        require(!nullThreshold.isNaN()) { "the null threshold should be a number" }
    }

    internal companion object {
        /** As in Python: more tokens than any model reads, and the sum of two does not overflow. */
        private const val MOST = 1_000_000
        private val POSSIBLE = 1..MOST

        /**
         * Reads the settings of a `model.json`. A setting that it does not name has its default.
         *
         * @param settings its `settings`; null for the defaults.
         * @throws ModelException for a value out of range, and a name that is no setting.
         */
        fun read(settings: JsonObject?): QuestionSettings {
            if (settings == null) return QuestionSettings()
            val defaults = QuestionSettings()
            fun number(key: String, default: Int) =
                settings.optionalWholeNumber(key, POSSIBLE) ?: default
            settings.requireOnly("max_question_length", "stride", "max_answer_length", "n_best",
                "null_threshold")
            return QuestionSettings(
                maxQuestionLength = number("max_question_length", defaults.maxQuestionLength),
                stride = number("stride", defaults.stride),
                maxAnswerLength = number("max_answer_length", defaults.maxAnswerLength),
                nBest = number("n_best", defaults.nBest),
                nullThreshold = settings.optionalNumber("null_threshold")
                    ?: defaults.nullThreshold,
            )
        }
    }
}
