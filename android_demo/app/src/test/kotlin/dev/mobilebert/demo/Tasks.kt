package dev.mobilebert.demo

import java.util.concurrent.Executor

/** A thread that does its tasks when it is told to. */
class Tasks : Executor {
    private val waiting = ArrayDeque<Runnable>()

    override fun execute(task: Runnable) {
        waiting.addLast(task)
    }

    /** Whether there were any. */
    fun runAll(): Boolean {
        val any = waiting.isNotEmpty()
        while (waiting.isNotEmpty()) waiting.removeFirst().run()
        return any
    }
}
