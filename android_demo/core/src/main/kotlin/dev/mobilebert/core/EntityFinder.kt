package dev.mobilebert.core

import kotlin.math.exp

/**
 * Finds entities in texts of any length.
 *
 * The entities equal those of `mobilebert predict` with a model for tagging.
 *
 * @param nanoTime a clock, in nanoseconds.
 * @throws ModelException if the model is of another kind, or its labels are no tags.
 */
class EntityFinder(
    private val spec: ModelSpec,
    private val tokenizer: BertTokenizer,
    runner: TensorRunner,
    nanoTime: () -> Long = System::nanoTime,
) : Engine<String> {
    private val runner = TimedRunner(runner, nanoTime)
    private val labels: List<String>

    init {
        spec.require("tagging", LOGITS)
        labels = spec.labels.orEmpty()
        if (OUTSIDE !in labels || !labels.all { it == OUTSIDE || TAG.matches(it) }) {
            throw ModelException("Entities are told by the tags O, B-type and I-type, and the " +
                "model's labels are ${labels.joinToString().ifEmpty { "missing" }}.",
                Problem.UnknownTags)
        }
    }

    private class Tag(val name: String, val probability: Double)

    override fun run(request: String, beforeRun: (window: Int, count: Int) -> Unit): Outcome {
        val words = WordSplitter.split(request)
        // A word without pieces is surely O.
        val tags = Array(words.size) { Tag(OUTSIDE, 1.0) }
        val windows = TaggedWindow.of(tokenizer, words.map { request.substring(it.start, it.end) },
            spec.length)
        // [CLS] and [SEP] alone.
        if (windows[0].ids.size == 2) throw noText("There is no text to find entities in.")
        windows.forEachIndexed { index, window ->
            beforeRun(index + 1, windows.size)
            val logits = runner.run(spec, window, tokenizer.vocabulary).getValue(LOGITS)
            window.words.forEachIndexed { token, word ->
                if (word >= 0) tags[word] = tagAt(logits, token)
            }
        }
        return Outcome.Entities(entities(request, words, tags), runner.latency)
    }

    override fun close() = runner.close()

    /** The most probable tag of a token; the first of equal ones. */
    private fun tagAt(logits: FloatArray, token: Int): Tag {
        val first = token * labels.size
        if (logits.size < first + labels.size ||
            !labels.indices.all { logits[first + it].isFinite() }) {
            throw noUsableNumbers()
        }
        var best = 0
        for (label in labels.indices) {
            if (logits[first + label] > logits[first + best]) best = label
        }
        val most = logits[first + best].toDouble()
        return Tag(labels[best], 1 / labels.indices.sumOf { exp(logits[first + it] - most) })
    }

    /**
     * I-type continues an entity of its type; after anything else it begins one, as in conlleval.
     *
     * Source: `mobilebert_tf.evaluation.entities`.
     */
    private fun entities(text: String, words: List<Word>, tags: Array<Tag>): List<Entity> {
        val found = ArrayList<Entity>()
        var first = 0
        while (first < tags.size) {
            var end = first + 1
            if (tags[first].name != OUTSIDE) {
                val type = tags[first].name.substring(PREFIX)
                while (end < tags.size && tags[end].name == "I-$type") end++
                val start = words[first].start
                val stop = words[end - 1].end
                val probability = (first until end).sumOf { tags[it].probability } / (end - first)
                found.add(Entity(type, text.substring(start, stop), start, stop, probability))
            }
            first = end
        }
        return found
    }

    private companion object {
        const val LOGITS = "logits"
        const val OUTSIDE = "O"

        /** The length of "B-". */
        const val PREFIX = 2
        val TAG = Regex("[BI]-.+", RegexOption.DOT_MATCHES_ALL)
    }
}
