package dev.mobilebert.core

/** What a screen shows. */
sealed interface State {
    /** The model is being read. */
    object Loading : State

    /** Waits for something to do. */
    object Ready : State

    /** The model reads a window of the text, from 1 to [count]. */
    class Running(val window: Int, val count: Int) : State

    /** Done. */
    class Finished(val outcome: Outcome) : State

    /** Something went wrong; [message] is for the user. */
    class Error(val message: String) : State
}
