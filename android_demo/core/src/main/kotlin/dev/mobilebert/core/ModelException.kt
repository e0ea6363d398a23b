package dev.mobilebert.core

/** A file, a model or a text that cannot be used; the message says why, in words for its user. */
class ModelException(message: String, cause: Throwable? = null) : Exception(message, cause)
