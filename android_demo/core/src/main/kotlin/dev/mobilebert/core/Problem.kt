package dev.mobilebert.core

/** What went wrong, for a screen to say in the user's language. */
sealed interface Problem {
    /** The app was built without a model for the screen. */
    object NoModel : Problem

    /** The model's file is damaged, or made for a newer runtime. */
    object UnreadableModel : Problem

    /** The runtime has no library for the device's processor. */
    object NoRuntime : Problem

    /** The model is for [kind], and the screen needs one for [needed]. */
    data class WrongKind(val kind: String, val needed: String) : Problem

    /** The model and its files cannot be used; [detail] is for whoever built the app. */
    data class UnusableModel(val detail: String) : Problem

    /** The question leaves no room for the passage among the [length] tokens of a window. */
    data class QuestionTooLong(val length: Int) : Problem

    /** There is no text to read. */
    object NoText : Problem

    /** Memory ran out. */
    object NotEnoughMemory : Problem

    /** Something unexpected; [detail] is for a report. */
    data class Unexpected(val detail: String) : Problem
}
