package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull

class TimedRunnerTest {
    @Test
    fun theFirstRunStandsApartFromTheMedian() {
        val milliseconds = ArrayDeque<Int>()
        var now = 0L
        val clock = { now }
        val fake = FakeRunner {
            now += milliseconds.removeFirst() * 1_000_000L
            emptyMap()
        }
        val runner = TimedRunner(fake, clock)
        fun run(vararg each: Int) {
            milliseconds += each.toList()
            repeat(each.size) { runner.run("", emptyMap()) }
        }
        assertNull(runner.latency)
        run(90)
        assertEquals(90.0, runner.latency?.first)
        assertNull(runner.latency?.median)
        run(5, 1, 4)
        assertEquals(4.0, runner.latency?.median)
        run(3)
        assertEquals(3.5, runner.latency?.median)
        // Of the latest runs only.
        run(*IntArray(200) { 9 })
        run(*IntArray(101) { 7 })
        assertEquals(7.0, runner.latency?.median)
        assertEquals(90.0, runner.latency?.first)
    }
}
