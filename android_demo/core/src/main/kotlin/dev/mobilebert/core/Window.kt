package dev.mobilebert.core

/**
 * `[CLS] question [SEP] part of the passage [SEP]`, without padding.
 *
 * @param starts for each token of the passage, where in the passage it starts, in UTF-16.
 * @param ends where each of them ends, exclusive.
 * @param words for each of them, which of the passage's words it is of; words are what is between
 *   spaces, tabs, line ends and U+202F.
 * @param isMaxContext for each of them, whether no other window shows more on both sides of it;
 *   only there may an answer start.
 */
class Window(
    ids: IntArray,
    firstLength: Int,
    val starts: IntArray,
    val ends: IntArray,
    val words: IntArray,
    val isMaxContext: BooleanArray,
) : ModelInput(ids, firstLength)
