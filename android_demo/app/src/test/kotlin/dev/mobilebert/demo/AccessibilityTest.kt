package dev.mobilebert.demo

import androidx.compose.ui.semantics.SemanticsActions
import androidx.compose.ui.semantics.SemanticsProperties
import androidx.compose.ui.semantics.getOrNull
import androidx.compose.ui.test.SemanticsMatcher
import androidx.compose.ui.test.assertIsDisplayed
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isHeading
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.performClick
import androidx.compose.ui.unit.dp
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.annotation.Config

/** What screen readers, large fonts and large fingers need. */
@RunWith(RobolectricTestRunner::class)
class AccessibilityTest {
    @get:Rule
    val rule = createEmptyComposeRule()

    @Test
    fun everyControlHasANameAndRoomForAFinger() {
        val demo = Demo(rule)
        val tappable = SemanticsMatcher.keyIsDefined(SemanticsActions.OnClick)
        for (use in Use.entries) {
            demo.show(use)
            demo.pause(500)
            for (node in rule.onAllNodes(tappable).fetchSemanticsNodes()) {
                val name = node.config.getOrNull(SemanticsProperties.Text).orEmpty()
                    .joinToString { it.text } +
                    node.config.getOrNull(SemanticsProperties.ContentDescription).orEmpty()
                assertTrue(name.any { it.isLetter() }, "a control of $use has no name")
                val height = with(rule.density) { node.touchBoundsInRoot.height.toDp() }
                assertTrue(height >= 47.dp, "$name of $use is only $height high")
            }
            assertEquals(1, rule.onAllNodes(isHeading()).fetchSemanticsNodes().size)
        }
    }

    @Test
    fun changesOfTheStatusAreReadOut() {
        val demo = Demo(rule)
        demo.show(Use.CLASSIFY)
        rule.onNode(SemanticsMatcher.keyIsDefined(SemanticsProperties.LiveRegion)).assertExists()
    }

    @Test
    @Config(qualifiers = "w320dp-h480dp-mdpi")
    fun nothingIsOutOfReachOnASmallPhoneWithTheLargestFont() {
        RuntimeEnvironment.setFontScale(2f)
        val demo = Demo(rule)
        val ask = rule.onNode(hasText("Ask") and !isSelectable())
        ask.assertIsDisplayed().performClick()
        demo.settle()
        ask.assertIsDisplayed()
    }
}
