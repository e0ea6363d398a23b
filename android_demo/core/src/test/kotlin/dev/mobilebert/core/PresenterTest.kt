package dev.mobilebert.core

import java.util.concurrent.Executor
import java.util.concurrent.Executors
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** Runs its tasks when the test says so. */
private class Queue : Executor {
    private val tasks = ArrayDeque<Runnable>()

    override fun execute(task: Runnable) {
        tasks.addLast(task)
    }

    fun runOne() = tasks.removeFirst().run()

    fun runAll() {
        while (tasks.isNotEmpty()) runOne()
    }
}

/** A request is a number of windows; [during] is called before each window. */
private class CountingEngine(private val during: (Int) -> Unit = {}) : Engine<Int> {
    var runs = 0
    var windows = 0
    var isClosed = false

    override fun run(request: Int, beforeRun: (window: Int, count: Int) -> Unit): Outcome {
        runs++
        for (window in 1..request) {
            during(window)
            beforeRun(window, request)
            windows++
        }
        return Outcome.NoAnswer(emptyList(), request.toDouble(), isCut = false, null)
    }

    override fun close() {
        isClosed = true
    }
}

class PresenterTest {
    private val worker = Queue()
    private val main = Queue()
    private val seen = ArrayList<String>()

    private fun presenter(load: () -> Engine<Int>) =
        Presenter(worker, main, load).also { it.observe { state -> seen.add(describe(state)) } }

    private fun describe(state: State) = when (state) {
        State.Loading -> "loading"
        State.Ready -> "ready"
        State.Waiting -> "waiting"
        is State.Running -> "${state.window} of ${state.count}"
        is State.Finished -> "finished ${(state.outcome as Outcome.NoAnswer).nullOdds.toInt()}"
        is State.Error -> "${state.problem}"
    }

    private fun settle() {
        worker.runAll()
        main.runAll()
    }

    @Test
    fun loadsRunsAndFinishes() {
        val presenter = presenter { CountingEngine() }
        settle()
        presenter.submit(2)
        settle()
        assertEquals(listOf("loading", "ready", "waiting", "1 of 2", "2 of 2", "finished 2"), seen)
    }

    @Test
    fun nothingRunsOnTheMainThread() {
        val engine = CountingEngine()
        val presenter = presenter { engine }
        presenter.submit(3)
        main.runAll()
        assertEquals(listOf("loading"), seen)
        assertEquals(0, engine.windows)
        settle()
        assertEquals(listOf("loading", "ready", "1 of 3", "2 of 3", "3 of 3", "finished 3"), seen)
    }

    @Test
    fun aNewerRequestTakesThePlaceOfTheOlder() {
        lateinit var presenter: Presenter<Int>
        val engine = CountingEngine { window -> if (window == 3) presenter.submit(1) }
        presenter = presenter { engine }
        settle()
        presenter.submit(5)
        settle()
        // Two windows of the older request ran; their states are not shown.
        assertEquals(listOf("loading", "ready", "waiting", "waiting", "1 of 1", "finished 1"), seen)
        assertEquals(3, engine.windows)
    }

    @Test
    fun requestsThatWaitAreSkippedWhenThereIsANewer() {
        val engine = CountingEngine()
        val presenter = presenter { engine }
        for (request in 4 downTo 1) presenter.submit(request)
        settle()
        assertEquals(1, engine.runs)
        assertEquals(1, engine.windows)
        assertEquals("finished 1", seen.last())
    }

    @Test
    fun cancellingEndsTheWorkAtItsNextWindow() {
        lateinit var presenter: Presenter<Int>
        val engine = CountingEngine { window -> if (window == 2) presenter.cancel() }
        presenter = presenter { engine }
        settle()
        presenter.submit(9)
        settle()
        assertEquals(1, engine.windows)
        assertEquals(listOf("loading", "ready", "waiting", "ready"), seen)
        presenter.submit(1)
        settle()
        assertEquals("finished 1", seen.last())
    }

    @Test
    fun cancellingWhileLoadingLeavesItLoading() {
        val engine = CountingEngine()
        val presenter = presenter { engine }
        presenter.submit(2)
        presenter.cancel()
        settle()
        assertEquals(listOf("loading", "ready"), seen)
        assertEquals(0, engine.windows)
    }

    @Test
    fun aModelThatCannotBeLoadedIsSaidAgainAtEveryRequest() {
        val missing = Problem.MissingFile("vocab.txt")
        val presenter = presenter { throw ModelException("vocab.txt is missing.", missing) }
        settle()
        presenter.submit(1)
        settle()
        presenter.cancel()
        assertEquals(listOf("loading", "$missing", "$missing"),
            seen)
    }

    @Test
    fun errorsOfARequestAreShownAndTheNextOneWorks() {
        val errors = ArrayDeque(listOf(noUsableNumbers(), IllegalStateException("broken"),
            OutOfMemoryError()))
        val presenter = presenter {
            CountingEngine { errors.removeFirstOrNull()?.let { throw it } }
        }
        repeat(4) {
            presenter.submit(1)
            settle()
        }
        assertEquals(listOf("loading", "ready", "${Problem.NoUsableNumbers}",
            "waiting", "${Problem.Unexpected("IllegalStateException")}",
            "waiting", "${Problem.NotEnoughMemory}"), seen.take(7))
        assertEquals(listOf("waiting", "1 of 1", "finished 1"), seen.drop(7))
    }

    @Test
    fun aResultMakesWayForTheNextRequestAtOnce() {
        val presenter = presenter { CountingEngine() }
        settle()
        presenter.submit(1)
        settle()
        // The thread is busy with another model.
        presenter.submit(2)
        assertEquals(listOf("finished 1", "waiting"), seen.takeLast(2))
        presenter.cancel()
        settle()
        assertEquals(listOf("waiting", "ready"), seen.takeLast(2))
    }

    @Test
    fun aNewScreenSeesTheStateThatIs() {
        val presenter = presenter { CountingEngine() }
        settle()
        presenter.stopObserving()
        presenter.submit(1)
        settle()
        assertEquals(listOf("loading", "ready"), seen)
        presenter.observe { seen.add("new: " + describe(it)) }
        assertEquals("new: finished 1", seen.last())
    }

    @Test
    fun closingEndsTheWorkAndShowsNothingMore() {
        lateinit var presenter: Presenter<Int>
        val engine = CountingEngine { window -> if (window == 2) presenter.close() }
        presenter = presenter { engine }
        settle()
        presenter.submit(9)
        settle()
        assertTrue(engine.isClosed)
        assertEquals(1, engine.windows)
        assertEquals(listOf("loading", "ready", "waiting"), seen)
    }

    @Test
    fun realThreadsEndWithTheNewestRequest() {
        val real = Executors.newSingleThreadExecutor()
        val posted = LinkedBlockingQueue<Runnable>()
        val presenter = Presenter(real, posted::add) { CountingEngine { Thread.sleep(1) } }
        for (request in 50 downTo 3) presenter.submit(request)
        val deadline = System.nanoTime() + 60_000_000_000
        while (presenter.state !is State.Finished && System.nanoTime() < deadline) {
            posted.poll(1, TimeUnit.SECONDS)?.run()
        }
        assertEquals("finished 3", describe(assertIs<State.Finished>(presenter.state)))
        presenter.close()
        real.shutdown()
        assertTrue(real.awaitTermination(10, TimeUnit.SECONDS))
    }
}
