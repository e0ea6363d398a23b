package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertEquals

class ModelInputTest {
    private val vocabulary = Golden.vocabulary
    private val a = IntArray(9) { 100 + it }
    private val b = IntArray(9) { 200 + it }

    private fun sizes(sizeA: Int, sizeB: Int, length: Int): Pair<Int, Int> {
        val input = ModelInput.join(vocabulary, a.copyOf(sizeA), b.copyOf(sizeB), length)
        assertEquals(a.take(input.firstLength - 2), input.ids.slice(1..input.firstLength - 2))
        return Pair(input.firstLength - 2, input.ids.size - input.firstLength - 1)
    }

    @Test
    fun aTextLosesItsEnd() {
        val input = ModelInput.join(vocabulary, a, null, 5)
        assertEquals(listOf(2, 100, 101, 102, 3), input.ids.toList())
        assertEquals(5, input.firstLength)
        val short = ModelInput.join(vocabulary, a.copyOf(1), null, 5)
        assertEquals(listOf(2, 100, 3), short.ids.toList())
    }

    @Test
    fun ofAPairTheLongerIsCut() {
        /** Drops the last of the longer until they fit, of the second on equality. */
        fun oneByOne(sizeA: Int, sizeB: Int, room: Int): Pair<Int, Int> {
            var (keptA, keptB) = Pair(sizeA, sizeB)
            while (keptA + keptB > room) if (keptA > keptB) keptA-- else keptB--
            return Pair(keptA, keptB)
        }
        for (sizeA in 0..9) for (sizeB in 0..9) for (length in 3..22) {
            assertEquals(oneByOne(sizeA, sizeB, length - 3), sizes(sizeA, sizeB, length))
        }
    }

    @Test
    fun tensorsArePadded() {
        val tensors = ModelInput(intArrayOf(2, 7, 3, 8, 3), 3).tensors(7, padId = 9)
        assertEquals(listOf(2, 7, 3, 8, 3, 9, 9), tensors.getValue("ids").toList())
        assertEquals(listOf(1, 1, 1, 1, 1, 0, 0), tensors.getValue("mask").toList())
        assertEquals(listOf(0, 0, 0, 1, 1, 0, 0), tensors.getValue("segment_ids").toList())
    }
}
