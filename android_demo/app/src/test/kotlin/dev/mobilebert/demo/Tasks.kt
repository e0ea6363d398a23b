package dev.mobilebert.demo

import java.util.concurrent.Executor

/** Stands in for a thread: runs its tasks when a test says so. */
class Tasks : Executor {
    private val waiting = ArrayDeque<Runnable>()

    override fun execute(task: Runnable) {
        waiting.addLast(task)
    }

    /** Runs all tasks; returns whether there were any. */
    fun runAll(): Boolean {
        val any = waiting.isNotEmpty()
        while (waiting.isNotEmpty()) waiting.removeFirst().run()
        return any
    }
}
