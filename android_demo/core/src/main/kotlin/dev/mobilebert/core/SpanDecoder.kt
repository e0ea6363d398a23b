package dev.mobilebert.core

import kotlin.math.exp
import kotlin.math.ln

/**
 * Finds the best spans in all windows of a question.
 *
 * Source: `mobilebert_tf.kinds.span_decoding.decode`, which is `write_predictions` of
 * google-research/bert's run_squad.py. It pairs each window's n best starts with its n best ends. A
 * pair is a span if it lies in the passage, ends at or after its start, is not too long, and starts
 * where the window has most context. Equal scores keep the order of windows and ranks. Of spans
 * with the same text the best one counts.
 *
 * @param settings all but those of the question's length and the stride are used.
 */
class SpanDecoder(private val settings: QuestionSettings = QuestionSettings()) {

    /**
     * The spans of a question.
     *
     * @param spans with different texts, best first; empty if no span is possible.
     * @param nullScore the sum of the logits of [CLS], in the window where it is least.
     */
    class Decoded(val spans: List<Span>, val nullScore: Double) {
        /** [nullScore] minus the score of the best span: how far "no answer" is ahead. */
        val nullOdds: Double = if (spans.isEmpty()) NO_SCORE else nullScore - spans[0].score
    }

    /**
     * Decodes the logits of a question's windows.
     *
     * @param passage the passage of the windows.
     * @param windows all windows of the question; may be empty.
     * @param startLogits for each window a logit per token; those beyond its tokens are padding.
     * @param endLogits likewise.
     * @throws ModelException if logits are too few or not finite.
     */
    fun decode(
        passage: String,
        windows: List<Window>,
        startLogits: List<FloatArray>,
        endLogits: List<FloatArray>,
    ): Decoded {
        require(windows.size == startLogits.size && windows.size == endLogits.size)
        for (index in windows.indices) {
            check(startLogits[index], windows[index])
            check(endLogits[index], windows[index])
        }
        val found = ArrayList<Candidate>()
        for ((index, window) in windows.withIndex()) {
            addCandidates(window, startLogits[index], endLogits[index], found)
        }
        val nullScore = windows.indices
            .minOfOrNull { startLogits[it][0].toDouble() + endLogits[it][0].toDouble() } ?: NO_SCORE
        val counted = if (settings.nullThreshold.isFinite()) listOf(nullScore) else emptyList()
        val logTotal = logOfTotal(windows, startLogits, endLogits, counted)
        // Sorting is stable: equal scores stay in the order of windows and ranks.
        val ranked = found.sortedWith(byScore { it.score })
        return Decoded(distinct(passage, ranked, logTotal), nullScore)
    }

    private class Candidate(val window: Window, val first: Int, val last: Int, val score: Double)

    private fun check(logits: FloatArray, window: Window) {
        if (logits.size < window.ids.size) {
            throw ModelException("The model gave ${logits.size} numbers for ${window.ids.size} " +
                "tokens.", Problem.OtherModelsFile(ModelFiles.SPEC))
        }
        for (index in window.ids.indices) {
            if (!logits[index].isFinite()) throw noUsableNumbers()
        }
    }

    private fun addCandidates(
        window: Window,
        startLogits: FloatArray,
        endLogits: FloatArray,
        found: MutableList<Candidate>,
    ) {
        val ends = highest(endLogits, window)
        for (first in highest(startLogits, window)) {
            if (!mayStart(window, first)) continue
            for (last in ends) {
                if (last in lasts(window, first)) {
                    val score = startLogits[first].toDouble() + endLogits[last].toDouble()
                    found.add(Candidate(window, first, last, score))
                }
            }
        }
    }

    /** Whether a token may be the first of an answer. */
    private fun mayStart(window: Window, token: Int): Boolean =
        window.isMaxContext.getOrElse(token - window.firstLength) { false }

    /** The tokens that an answer from [first] may have as its last. The last of all is [SEP]. */
    private fun lasts(window: Window, first: Int): IntRange =
        first until minOf(first + settings.maxAnswerLength, window.ids.size - 1)

    /** Returns the tokens with the highest logits, best first; equal ones keep their order. */
    private fun highest(logits: FloatArray, window: Window): List<Int> =
        window.ids.indices.sortedWith(byScore { logits[it].toDouble() }).take(settings.nBest)

    /** Descending. Uses `>`, because for `compareTo` 0.0 is greater than -0.0. */
    private fun <T> byScore(score: (T) -> Double) = Comparator<T> { one, other ->
        val a = score(one)
        val b = score(other)
        if (a > b) -1 else if (a < b) 1 else 0
    }

    private fun distinct(
        passage: String,
        candidates: List<Candidate>,
        logTotal: Double,
    ): List<Span> {
        val byText = LinkedHashMap<String, Span>()
        for (candidate in candidates) {
            val window = candidate.window
            val start = window.starts[candidate.first - window.firstLength]
            val end = withMarks(passage, window.ends[candidate.last - window.firstLength])
            val text = passage.substring(start, end)
            if (text !in byText) {
                val probability = exp(candidate.score - logTotal)
                byText[text] = Span(text, start, end, candidate.score, probability)
            }
            if (byText.size == settings.nBest) break
        }
        return byText.values.toList()
    }

    /** Returns the log of the sum of exp(score) over all possible spans, and [others]. */
    private fun logOfTotal(
        windows: List<Window>,
        startLogits: List<FloatArray>,
        endLogits: List<FloatArray>,
        others: List<Double>,
    ): Double {
        var most = Double.NEGATIVE_INFINITY
        var total = 0.0
        fun add(score: Double) {
            if (score > most) {
                total = total * exp(most - score) + 1
                most = score
            } else {
                total += exp(score - most)
            }
        }
        others.forEach(::add)
        for ((index, window) in windows.withIndex()) {
            val starts = startLogits[index]
            val ends = endLogits[index]
            for (first in window.firstLength until window.ids.size - 1) {
                if (!mayStart(window, first)) continue
                for (last in lasts(window, first)) {
                    add(starts[first].toDouble() + ends[last].toDouble())
                }
            }
        }
        return most + ln(total)
    }

    /** Returns the end of a span with the accents after its last letter, which have no token. */
    private fun withMarks(passage: String, end: Int): Int {
        var after = end
        while (after < passage.length) {
            val character = passage.codePointAt(after)
            if (Character.getType(character) != Character.NON_SPACING_MARK.toInt()) break
            after += Character.charCount(character)
        }
        return after
    }

    private companion object {
        /** The null odds if no span is possible; the null score without windows (run_squad.py). */
        const val NO_SCORE = 1e6
    }
}
