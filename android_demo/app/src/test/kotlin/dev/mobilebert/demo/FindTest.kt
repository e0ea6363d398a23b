package dev.mobilebert.demo

import androidx.compose.ui.test.hasClickAction
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.performClick
import androidx.lifecycle.ViewModelProvider
import kotlin.test.assertEquals
import kotlin.test.assertTrue
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
        find()
    }

    private fun Demo.find() {
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
    fun ofALongEntityTheBeginningIsShown() {
        val demo = Demo(rule)
        demo.show(Use.FIND)
        val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
        model.document.value = "Old is the harbour" + "\u0301".repeat(50_000)
        demo.settle()
        demo.find()
        assertEquals(1, demo.count("100.0 %"))
        assertTrue(demo.longestText() <= 2_100)
    }

    @Test
    fun thatThereAreNoneIsSaid() = found("The quay.").sees("finds no entities")
}
