package dev.mobilebert.core

/**
 * The word pieces of a text.
 *
 * @param ids in the vocabulary, without [CLS] and [SEP].
 * @param starts where in the text each piece starts: a UTF-16 index, never inside a pair.
 * @param ends where each piece ends, likewise, exclusive.
 */
class Tokens(val ids: IntArray, val starts: IntArray, val ends: IntArray) {
    val size get() = ids.size
}
