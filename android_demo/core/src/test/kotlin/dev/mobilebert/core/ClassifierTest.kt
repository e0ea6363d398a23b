package dev.mobilebert.core

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

class ClassifierTest {
    @Test
    fun ranksTheMostProbableFirstAndTheFirstAmongEquals() {
        val ranked = Classifier(listOf("a", "b", "c", "d"))
            .rank(floatArrayOf(0.2f, 0.3f, 0.2f, 0.3f))
        assertEquals(listOf("b", "d", "a", "c"), ranked.map { it.label })
        assertEquals(listOf(0.3f, 0.3f, 0.2f, 0.2f), ranked.map { it.probability })
        assertEquals(listOf("1", "0"), Classifier(null).rank(floatArrayOf(0f, 1f)).map { it.label })
    }

    @Test
    fun otherLabelsAndNumbersThatAreNoneAreRefused() {
        val error = assertFailsWith<ModelException> {
            Classifier(listOf("a")).rank(floatArrayOf(0f, 1f))
        }
        assertContains(error.message!!, "2 probabilities for 1 labels")
        assertFailsWith<ModelException> { Classifier(null).rank(floatArrayOf(Float.NaN, 1f)) }
    }
}
