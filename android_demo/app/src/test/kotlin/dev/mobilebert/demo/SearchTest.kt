package dev.mobilebert.demo

import androidx.compose.ui.semantics.SemanticsProperties
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.onChildren
import androidx.compose.ui.test.onFirst
import androidx.compose.ui.test.onNodeWithTag
import androidx.compose.ui.test.assertTextEquals
import androidx.compose.ui.test.performClick
import androidx.lifecycle.ViewModelProvider
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

@RunWith(RobolectricTestRunner::class)
class SearchTest {
    @get:Rule
    val rule = createEmptyComposeRule()

    @Test
    fun linesAreRankedByMeaningAndComeBack() {
        val demo = Demo(rule)
        demo.show(Use.SEARCH)
        demo.sees("The last ferry to Brede")
        demo.tap("Edit")
        demo.type("Text", "the quay\nthe harbour harbour\nthe harbour")
        demo.type("What do you look for?", "harbour harbour")
        rule.onNode(hasText("Search") and !isSelectable()).performClick()
        demo.settle()
        rule.onNodeWithTag("matches").onChildren().onFirst().assertTextEquals("the harbour harbour")
        assertEquals(listOf(1, 1, 1), listOf("1.00", "0.95", "0.71").map(demo::count))
        // A screen reader hears it.
        demo.sees("3 lines, the nearest meaning first")
        assertEquals(0, demo.count("than the model reads"))
        demo.tap("All lines")
        assertEquals(0, demo.count("1.00"))
    }

    @Test
    fun aCosineJustBelowZeroHasNoSign() {
        TestApplication.current.open = { _, _ ->
            TestRunner { ids ->
                val vector = if (TestApplication.HARBOUR in ids) floatArrayOf(1f, 0f)
                    else floatArrayOf(-0.001f, 1f)
                mapOf("sentence_embedding" to vector)
            }
        }
        val demo = Demo(rule)
        demo.show(Use.SEARCH)
        demo.tap("Edit")
        demo.type("Text", "the quay")
        demo.type("What do you look for?", "harbour")
        rule.onNode(hasText("Search") and !isSelectable()).performClick()
        demo.settle()
        assertEquals(listOf(1, 0), listOf("0.00", "-0.00").map(demo::count))
    }

    @Test
    fun thatWhatOneLooksForIsTooLongIsSaid() {
        val demo = Demo(rule)
        demo.show(Use.SEARCH)
        // It is one token, and the app cuts it.
        ViewModelProvider(demo.activity)[DemoViewModel::class.java].query.value = "x".repeat(1_001)
        demo.settle()
        rule.onNode(hasText("Search") and !isSelectable()).performClick()
        demo.settle()
        demo.sees("What you look for is longer than the model reads")
    }

    @Test
    fun oneLineThatIsABookIsShownByItsBeginning() {
        val demo = Demo(rule)
        demo.show(Use.SEARCH)
        val model = ViewModelProvider(demo.activity)[DemoViewModel::class.java]
        model.lines.value = "the harbour ".repeat(50_000)
        model.query.value = "harbour"
        demo.settle()
        rule.onNode(hasText("Search") and !isSelectable()).performClick()
        demo.settle()
        demo.sees("1 line, the nearest meaning first")
        demo.sees("1 line is longer than the model reads")
        val line = rule.onNodeWithTag("matches").onChildren().onFirst().fetchSemanticsNode()
        assertTrue(line.config[SemanticsProperties.Text].single().length <= 2_000)
    }
}
