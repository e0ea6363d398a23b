package dev.mobilebert.core

import java.io.InputStream

/**
 * The word pieces of a model; a piece's id is its position.
 *
 * Strict like `mobilebert_tf.text.Vocabulary`: pieces that would shift ids, or could never match,
 * are refused.
 *
 * @param pieces in the order of their ids; pieces inside a word start with "##".
 * @param name names the vocabulary in messages.
 * @throws ModelException if there are no pieces, a piece is empty, repeated or has white space, or
 *   a special piece is missing.
 */
class Vocabulary(val pieces: List<String>, name: String = "vocab.txt") {
    private val ids = HashMap<String, Int>(2 * pieces.size)

    init {
        fun wrong(message: String) = ModelException(message, Problem.UnusableFile(name))

        if (pieces.isEmpty()) throw wrong("$name is empty.")
        pieces.forEachIndexed { id, piece ->
            val line = "$name, line ${id + 1}"
            if (piece.isEmpty()) throw wrong("$line is empty: a line holds one piece.")
            if (piece.any { it in " \t\r\n" }) {
                throw wrong("$line: the piece \"$piece\" contains white space.")
            }
            val other = ids.put(piece, id)
            if (other != null) {
                throw wrong("$line: the piece \"$piece\" is on line ${other + 1} already.")
            }
        }
    }

    /** Ids of the special pieces. */
    val padId = special("[PAD]", name)
    val unknownId = special("[UNK]", name)
    val clsId = special("[CLS]", name)
    val sepId = special("[SEP]", name)

    /** The id of a piece, or null if the vocabulary does not have it. */
    operator fun get(piece: String): Int? = ids[piece]

    private fun special(piece: String, name: String): Int =
        ids[piece] ?: throw ModelException("$name lacks the special piece $piece.",
            Problem.UnusableFile(name))

    companion object {
        /**
         * Reads UTF-8 with one piece per line; Windows line ends are accepted. Does not close the
         * stream.
         *
         * @throws ModelException as the constructor does, and if it is not UTF-8.
         */
        fun read(stream: InputStream, name: String = "vocab.txt"): Vocabulary {
            // Not lines(): a piece may be any character, U+0085 among them.
            val lines = readUtf8(stream, name).replace("\r\n", "\n").removeSuffix("\n")
            return Vocabulary(if (lines.isEmpty()) emptyList() else lines.split('\n'), name)
        }
    }
}
