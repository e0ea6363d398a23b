package dev.mobilebert.core

/**
 * `[CLS] question [SEP] part of the passage [SEP]`, without padding.
 *
 * The arrays have an entry for each token of the passage in this window.
 *
 * @param starts its start in the passage, a UTF-16 index.
 * @param ends its exclusive end, likewise.
 * @param words the number of the passage's word that it starts in; spaces, tabs, line ends and
 *   U+202F separate words.
 * @param isMaxContext whether this window has the most context around it; an answer may start only
 *   at such a token.
 */
class Window(
    ids: IntArray,
    firstLength: Int,
    val starts: IntArray,
    val ends: IntArray,
    val words: IntArray,
    val isMaxContext: BooleanArray,
) : ModelInput(ids, firstLength)
