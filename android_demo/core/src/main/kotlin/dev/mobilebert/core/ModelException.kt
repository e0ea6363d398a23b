package dev.mobilebert.core

/**
 * A file, a model or a text cannot be used. The message tells a developer why.
 *
 * @param problem the same for a screen.
 */
class ModelException(
    message: String,
    cause: Throwable? = null,
    val problem: Problem = Problem.UnusableModel(message),
) : Exception(message, cause)
