package dev.mobilebert.core

/**
 * A file, a model or a text cannot be used. The message tells a developer why, in English.
 *
 * @param problem what a screen says of it, in the user's language.
 */
class ModelException(
    message: String,
    val problem: Problem,
    cause: Throwable? = null,
) : Exception(message, cause)

/** A text has no tokens, as white space has none: there is nothing that a model could read. */
internal fun noText(message: String) = ModelException(message, Problem.NoText)

/** The model's numbers are not finite. */
internal fun noUsableNumbers() =
    ModelException("The model gave no usable numbers.", Problem.NoUsableNumbers)
