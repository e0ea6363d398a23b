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

    /** The app was built without the file [name], which belongs to the model. */
    data class MissingFile(val name: String) : Problem

    /** The file [name] is damaged, or made by another version of the exporter. */
    data class UnusableFile(val name: String) : Problem

    /** The file [name] does not belong to the model beside it. */
    data class OtherModelsFile(val name: String) : Problem

    /** Entities are told by the tags O, B-type and I-type, and the model has others. */
    object UnknownTags : Problem

    /** The model gave numbers that are not finite. */
    object NoUsableNumbers : Problem

    /** The question leaves no room for the passage among the [length] tokens of a window. */
    data class QuestionTooLong(val length: Int) : Problem

    /** A text has no tokens, as white space has none: there is nothing to read. */
    object NoText : Problem

    /** Memory ran out. */
    object NotEnoughMemory : Problem

    /** Something unexpected; [error] is the name of the exception's class, for a report. */
    data class Unexpected(val error: String) : Problem
}
