package dev.mobilebert.core

/**
 * `[CLS] pieces [SEP]` of a text's words, or of some of them, without padding.
 *
 * @param words the number of the word at the first piece of each word; -1 at every other token.
 */
internal class TaggedWindow(ids: IntArray, val words: IntArray) : ModelInput(ids, ids.size) {
    companion object {
        private const val NO_WORD = -1

        /**
         * Makes the windows of a text's words: one, unless the text is longer than [length].
         *
         * A longer text is cut between words into consecutive windows, each filled with as many
         * words as fit. Every word is in one window. A word that is too long alone keeps the pieces
         * that fit. A word without pieces (a zero-width character) is in no window. There is always
         * a window.
         *
         * Source: `mobilebert_tf.data.features.tagged_tokens.windows`.
         *
         * @param words each is tokenized on its own.
         * @param length the most tokens of a window, 3 or more.
         */
        fun of(tokenizer: BertTokenizer, words: List<String>, length: Int): List<TaggedWindow> {
            val vocabulary = tokenizer.vocabulary
            val room = length - 2
            val windows = ArrayList<TaggedWindow>()
            var ids = IntBuffer().apply { add(vocabulary.clsId) }
            var places = IntBuffer().apply { add(NO_WORD) }
            fun close() {
                ids.add(vocabulary.sepId)
                places.add(NO_WORD)
                windows.add(TaggedWindow(ids.toIntArray(), places.toIntArray()))
                ids = IntBuffer().apply { add(vocabulary.clsId) }
                places = IntBuffer().apply { add(NO_WORD) }
            }
            words.forEachIndexed { number, word ->
                val pieces = tokenizer.tokenize(word).ids
                val count = minOf(pieces.size, room)
                if (ids.size - 1 + count > room) close()
                for (piece in 0 until count) {
                    ids.add(pieces[piece])
                    places.add(if (piece == 0) number else NO_WORD)
                }
            }
            close()
            return windows
        }
    }
}
