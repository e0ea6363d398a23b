package dev.mobilebert.core

import kotlin.math.sqrt

/**
 * Ranks lines by how much they mean what a query means: by the cosine of their vectors. Of a line
 * that is too long the model reads only the beginning. Vectors of lines are kept for later queries.
 *
 * The cosines equal those of `mobilebert predict` with a model for embedding.
 *
 * @param nanoTime a clock, in nanoseconds.
 * @throws ModelException if the model is of another kind.
 */
class LineSearcher(
    private val spec: ModelSpec,
    private val tokenizer: BertTokenizer,
    runner: TensorRunner,
    nanoTime: () -> Long = System::nanoTime,
) : Engine<Search> {
    private val runner = TimedRunner(runner, nanoTime)
    private val vectors = HashMap<String, Vector>()

    init {
        spec.require("embedding", VECTOR)
    }

    private class Vector(val values: FloatArray, val isCut: Boolean)

    /** Returns the lines that have tokens, most alike first; equal ones keep their order. */
    override fun run(request: Search, beforeRun: (window: Int, count: Int) -> Unit): Outcome {
        if (!hasTokens(request.query)) throw noText("There is nothing to look for.")
        // The lines that are known have tokens.
        val texts = request.lines.withIndex()
            .filter { (_, line) -> line in vectors || hasTokens(line) }
        if (texts.isEmpty()) throw noText("There are no lines to search.")
        vectors.keys.retainAll(texts.mapTo(HashSet()) { it.value })
        val missing = texts.map { it.value }.distinct().filter { it !in vectors }
        missing.forEachIndexed { index, line ->
            beforeRun(index + 1, missing.size + 1)
            vectors[line] = vector(line)
        }
        beforeRun(missing.size + 1, missing.size + 1)
        val query = vector(request.query)
        val matches = texts
            .map { (index, line) ->
                Match(index, line, dot(query.values, vectors.getValue(line).values))
            }
            .sortedByDescending { it.cosine }
        val cutLines = texts.count { vectors.getValue(it.value).isCut }
        return Outcome.Matches(matches, cutLines, query.isCut, runner.latency)
    }

    override fun close() = runner.close()

    private fun hasTokens(text: String): Boolean = tokenizer.tokenize(text).size > 0

    private fun vector(text: String): Vector {
        val ids = tokenizer.tokenize(text).ids
        val input = ModelInput.join(tokenizer.vocabulary, ids, null, spec.length)
        val values = runner.run(spec, input, tokenizer.vocabulary).getValue(VECTOR)
        val norm = sqrt(dot(values, values))
        if (!(norm > 0 && norm.isFinite())) throw noUsableNumbers()
        // [CLS] and [SEP] need room too.
        return Vector(FloatArray(values.size) { values[it] / norm }, ids.size + 2 > spec.length)
    }

    private fun dot(one: FloatArray, other: FloatArray): Float {
        var sum = 0.0
        for (index in one.indices) sum += one[index].toDouble() * other[index]
        return sum.toFloat()
    }

    private companion object {
        const val VECTOR = "sentence_embedding"
    }
}
