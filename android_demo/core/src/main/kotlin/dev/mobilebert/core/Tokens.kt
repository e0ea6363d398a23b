package dev.mobilebert.core

/**
 * The word pieces of a text.
 *
 * @param ids their ids in the vocabulary, without [CLS] and [SEP].
 * @param starts the start of each piece in the text, a UTF-16 index, never inside a surrogate pair.
 * @param ends the exclusive end of each piece, likewise.
 */
class Tokens(val ids: IntArray, val starts: IntArray, val ends: IntArray) {
    val size get() = ids.size
}
