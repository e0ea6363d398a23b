package dev.mobilebert.demo

/** A question that was asked; [answer] is null if the passage had none. */
data class HistoryEntry(val question: String, val answer: String?)
