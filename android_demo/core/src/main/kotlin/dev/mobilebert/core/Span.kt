package dev.mobilebert.core

/**
 * A slice of a passage that may be the answer.
 *
 * @param start its start in the passage, a UTF-16 index, never inside a surrogate pair.
 * @param end its exclusive end, likewise.
 * @param score the sum of the logits of its first and last token.
 * @param probability its probability among all spans that could be the answer; with a threshold, "no
 *   answer" too.
 */
class Span(
    val text: String,
    val start: Int,
    val end: Int,
    val score: Double,
    val probability: Double,
)
