package dev.mobilebert.demo

import androidx.compose.ui.test.hasClickAction
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.performClick
import kotlin.test.assertEquals
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

@RunWith(RobolectricTestRunner::class)
class FindTest {
    @get:Rule
    val rule = createEmptyComposeRule()

    private fun found(text: String) = Demo(rule).apply {
        show(Use.FIND)
        tap("Edit")
        type("Text", text)
        tap("Done")
        rule.onNode(hasText("Find entities") and hasClickAction())
            .performClick()
        settle()
    }

    @Test
    fun entitiesAreMarkedAndListed() {
        val demo = found("The old harbour and the new Harbour.")
        assertEquals(listOf("harbour", "Harbour"), demo.marked())
        assertEquals(2, demo.count("Place"))
        assertEquals(2, demo.count("100.0 %"))
    }

    @Test
    fun thatThereAreNoneIsSaid() = found("The quay.").sees("finds no entities")
}
