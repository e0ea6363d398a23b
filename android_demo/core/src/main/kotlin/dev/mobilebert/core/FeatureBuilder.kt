package dev.mobilebert.core

/**
 * Makes the windows of a question, from the start of its passage to the end.
 *
 * Source: `mobilebert_tf.data.features.question_windows`, which is `convert_examples_to_features` of
 * google-research/bert's run_squad.py.
 *
 * @param length the most tokens of a window.
 * @param settings `maxQuestionLength` and `stride` are used.
 */
class FeatureBuilder(
    private val tokenizer: BertTokenizer,
    private val length: Int,
    private val settings: QuestionSettings = QuestionSettings(),
) {
    /**
     * Returns the windows; none if the passage has no tokens.
     *
     * @throws ModelException if the question leaves no room for the passage.
     */
    fun windows(question: String, passage: String): List<Window> {
        val vocabulary = tokenizer.vocabulary
        val whole = tokenizer.tokenize(question).ids
        val asked = whole.copyOf(minOf(whole.size, settings.maxQuestionLength))
        val room = length - asked.size - 3
        if (room < 1) {
            throw ModelException("The question is too long for the model, which reads $length " +
                "tokens at once.", Problem.QuestionTooLong(length))
        }
        val tokens = tokenizer.tokenize(passage)
        val words = words(passage, tokens)
        val first = intArrayOf(vocabulary.clsId) + asked + vocabulary.sepId
        val parts = parts(tokens.size, room)
        val owners = owners(parts, tokens.size)
        return parts.mapIndexed { number, part ->
            val (begin, end) = part
            Window(
                ids = first + tokens.ids.copyOfRange(begin, end) + vocabulary.sepId,
                firstLength = first.size,
                starts = tokens.starts.copyOfRange(begin, end),
                ends = tokens.ends.copyOfRange(begin, end),
                words = words.copyOfRange(begin, end),
                isMaxContext = BooleanArray(end - begin) { owners[begin + it] == number },
            )
        }
    }

    /** Returns for each token the number of the word that it starts in. */
    private fun words(passage: String, tokens: Tokens): IntArray {
        var number = -1
        var place = 0
        return IntArray(tokens.size) { index ->
            while (place <= tokens.starts[index]) {
                val startsWord = passage[place] !in WORD_SEPARATORS &&
                    (place == 0 || passage[place - 1] in WORD_SEPARATORS)
                if (startsWord) number++
                place++
            }
            number
        }
    }

    /** Returns (begin, end) of the parts; each has [room] tokens, the last one may have fewer. */
    private fun parts(count: Int, room: Int): List<Pair<Int, Int>> {
        val parts = ArrayList<Pair<Int, Int>>()
        var begin = 0
        while (begin < count) {
            val end = minOf(begin + room, count)
            parts.add(Pair(begin, end))
            if (end == count) break
            begin += minOf(room, settings.stride)
        }
        return parts
    }

    /** Returns for each token the part with most context around it; the first of equal ones. */
    private fun owners(parts: List<Pair<Int, Int>>, count: Int): IntArray {
        val best = DoubleArray(count)
        val owners = IntArray(count)
        parts.forEachIndexed { number, (begin, end) ->
            for (token in begin until end) {
                // The context on the shorter side; if that is equal, the longer part wins.
                val score = minOf(token - begin, end - 1 - token) + 0.01 * (end - begin)
                if (score > best[token]) {
                    best[token] = score
                    owners[token] = number
                }
            }
        }
        return owners
    }

    private companion object {
        const val WORD_SEPARATORS = " \t\r\n\u202F"
    }
}
