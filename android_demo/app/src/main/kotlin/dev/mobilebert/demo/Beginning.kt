package dev.mobilebert.demo

/** Returns the first [most] characters, or one fewer where that would cut a surrogate pair. */
internal fun String.beginning(most: Int): String {
    val cutsPair = length > most && this[most - 1].isHighSurrogate() && this[most].isLowSurrogate()
    return take(if (cutsPair) most - 1 else most)
}
