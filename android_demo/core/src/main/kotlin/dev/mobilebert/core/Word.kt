package dev.mobilebert.core

/** A word of a text: its slice from [start] up to [end], UTF-16 indices. */
internal class Word(val start: Int, val end: Int)
