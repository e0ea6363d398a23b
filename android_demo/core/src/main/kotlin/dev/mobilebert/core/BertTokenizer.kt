package dev.mobilebert.core

import dev.mobilebert.core.NormalizationTable.Companion.ISOLATED
import dev.mobilebert.core.NormalizationTable.Companion.WHITESPACE

/**
 * Splits texts into BERT's word pieces, with their places in the original text.
 *
 * Ids and places equal those of `mobilebert_tf.Tokenizer` with the same vocabulary. Its source is
 * `FullTokenizer` in google-research/bert's tokenization.py. It takes every text without failing,
 * in linear time. "[MASK]" in a text is read as letters and brackets, not as the special piece.
 *
 * Safe for use by several threads at once.
 */
class BertTokenizer(val vocabulary: Vocabulary, private val table: NormalizationTable) {
    private val normalizer = Normalizer(table)
    private val continuations = HashMap<String, Int>()
    private val longestPiece: Int

    init {
        vocabulary.pieces.forEachIndexed { id, piece ->
            if (piece.startsWith(CONTINUES)) continuations[piece.substring(CONTINUES.length)] = id
        }
        longestPiece = vocabulary.pieces.maxOf { it.length }
    }

    /** The pieces of a text. */
    fun tokenize(text: String): Tokens {
        val normalized = normalizer.normalize(text)
        val pieces = Pieces(text, normalized.places)
        var start = 0
        for (index in 0 until normalized.size) {
            val classes = table.classes(normalized.points[index])
            if (classes and (WHITESPACE or ISOLATED) != 0) {
                addWord(normalized, start, index, pieces)
                if (classes and ISOLATED != 0) addWord(normalized, index, index + 1, pieces)
                start = index + 1
            }
        }
        addWord(normalized, start, normalized.size, pieces)
        return pieces.toTokens()
    }

    /** Adds a word's longest matching pieces; or one unknown piece if a part of it matches none. */
    private fun addWord(text: Normalized, start: Int, end: Int, pieces: Pieces) {
        if (start == end) return
        val before = pieces.size
        if (end - start > MAX_CHARACTERS_PER_WORD || !matchWord(text, start, end, pieces)) {
            pieces.removeFrom(before)
            pieces.add(vocabulary.unknownId, start, end)
        }
    }

    private fun matchWord(text: Normalized, start: Int, end: Int, pieces: Pieces): Boolean {
        val word = StringBuilder(end - start)
        // Where in `word` each code point ends.
        val ends = IntArray(end - start) {
            word.appendCodePoint(text.points[start + it])
            word.length
        }
        var from = 0
        while (from < ends.size) {
            val begin = if (from == 0) 0 else ends[from - 1]
            var to = ends.size
            var id: Int? = null
            while (to > from) {
                if (ends[to - 1] - begin <= longestPiece) {
                    val piece = word.substring(begin, ends[to - 1])
                    id = if (from == 0) vocabulary[piece] else continuations[piece]
                    if (id != null) break
                }
                to--
            }
            pieces.add(id ?: return false, start + from, start + to)
            from = to
        }
        return true
    }

    private class Pieces(private val text: String, private val places: IntBuffer) {
        private val ids = IntBuffer()
        private val starts = IntBuffer()
        private val ends = IntBuffer()

        val size get() = ids.size

        /** A piece of the normalized code points from [first] up to [end]. */
        fun add(id: Int, first: Int, end: Int) {
            ids.add(id)
            starts.add(places[first])
            val last = places[end - 1]
            ends.add(last + Character.charCount(text.codePointAt(last)))
        }

        fun removeFrom(size: Int) {
            for (buffer in listOf(ids, starts, ends)) buffer.truncate(size)
        }

        fun toTokens() = Tokens(ids.toIntArray(), starts.toIntArray(), ends.toIntArray())
    }

    private companion object {
        const val CONTINUES = "##"

        // Google's limit.
        const val MAX_CHARACTERS_PER_WORD = 200
    }
}
