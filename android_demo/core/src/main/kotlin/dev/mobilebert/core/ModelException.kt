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

/** The model's numbers are not finite. */
internal fun noUsableNumbers() =
    ModelException("The model gave no usable numbers.", Problem.NoUsableNumbers)
