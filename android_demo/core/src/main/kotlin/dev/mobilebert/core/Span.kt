package dev.mobilebert.core

/**
 * A slice of a passage that may be the answer.
 *
 * @param start where it starts in the passage, a UTF-16 index, never inside a pair.
 * @param end where it ends, likewise, exclusive.
 * @param score the logits of its first and last token added.
 * @param probability among the best spans of the question.
 */
class Span(
    val text: String,
    val start: Int,
    val end: Int,
    val score: Double,
    val probability: Double,
)
