package dev.mobilebert.core

/** A line that was found: its number in the list, and its cosine with the query, -1 to 1. */
class Match(val index: Int, val line: String, val cosine: Float)
