package dev.mobilebert.core

/**
 * A slice of a text that its tags name.
 *
 * @param start its start in the text, a UTF-16 index.
 * @param end its exclusive end, likewise.
 * @param probability the mean of the probabilities of its words' tags.
 */
class Entity(
    val type: String,
    val text: String,
    val start: Int,
    val end: Int,
    val probability: Double,
)
