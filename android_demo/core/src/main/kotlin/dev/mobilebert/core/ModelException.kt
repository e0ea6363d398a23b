package dev.mobilebert.core

/** A file, a model or a text cannot be used; the message tells the user why. */
class ModelException(message: String, cause: Throwable? = null) : Exception(message, cause)
