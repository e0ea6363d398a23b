package dev.mobilebert.core

/** What a screen shows. */
sealed interface State {
    /** The model is being opened. */
    object Loading : State

    /** There is no request. */
    object Ready : State

    /** A request waits until the thread is free, for a model that is open. */
    object Waiting : State

    /** The model reads [window], from 1 to [count], of the text. */
    class Running(val window: Int, val count: Int) : State

    /** The request is done. */
    class Finished(val outcome: Outcome) : State

    /** Something went wrong. */
    class Error(val problem: Problem) : State
}
