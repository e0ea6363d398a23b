package dev.mobilebert.demo

import java.util.concurrent.Executor

/** Stands in for a thread: runs its tasks when a test says so. */
class Tasks : Executor {
    private val waiting = ArrayDeque<Runnable>()

    /** Whether tasks have to wait, as behind a long one. */
    var isHeld = false

    /** Whether a task is running. */
    var isRunning = false
        private set

    override fun execute(task: Runnable) {
        waiting.addLast(task)
    }

    /** Runs all tasks; returns whether there were any. */
    fun runAll(): Boolean {
        if (isHeld) return false
        val any = waiting.isNotEmpty()
        isRunning = true
        try {
            while (waiting.isNotEmpty()) waiting.removeFirst().run()
        } finally {
            isRunning = false
        }
        return any
    }
}
