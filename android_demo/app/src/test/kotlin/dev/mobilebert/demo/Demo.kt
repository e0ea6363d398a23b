package dev.mobilebert.demo

import android.content.Intent
import android.os.Bundle
import androidx.compose.ui.semantics.SemanticsNode
import androidx.compose.ui.semantics.SemanticsProperties
import androidx.compose.ui.semantics.getOrNull
import androidx.compose.ui.test.SemanticsMatcher
import androidx.compose.ui.test.assertIsDisplayed
import androidx.compose.ui.test.hasAnyAncestor
import androidx.compose.ui.test.hasSetTextAction
import androidx.compose.ui.test.hasTestTag
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.ComposeTestRule
import androidx.compose.ui.test.onAllNodesWithText
import androidx.compose.ui.test.onNodeWithContentDescription
import androidx.compose.ui.test.onNodeWithTag
import androidx.compose.ui.test.onNodeWithText
import androidx.compose.ui.test.performClick
import androidx.compose.ui.test.performTextInput
import androidx.compose.ui.test.performTextReplacement
import androidx.compose.ui.text.AnnotatedString
import org.robolectric.Robolectric
import org.robolectric.RuntimeEnvironment
import org.robolectric.android.controller.ActivityController

/** The app as its user sees and touches it. */
class Demo(private val rule: ComposeTestRule, intent: Intent? = null, saved: Bundle? = null) {
    private val controller: ActivityController<MainActivity> =
        Robolectric.buildActivity(MainActivity::class.java, intent)
            .run { if (saved == null) setup() else setup(saved) }

    val activity: MainActivity get() = controller.get()

    init {
        settle()
    }

    fun settle() {
        do {
            rule.waitForIdle()
            TestApplication.current.settle()
            rule.waitForIdle()
        } while (TestApplication.current.runAll())
    }

    fun tap(text: String) {
        rule.onNodeWithText(text).performClick()
        settle()
    }

    /** Taps a symbol of the bar above. */
    fun tapSymbol(label: String) {
        rule.onNodeWithContentDescription(label).performClick()
        settle()
    }

    /** Taps a use in the navigation. */
    fun show(use: Use) {
        rule.onNode(hasText(activity.getString(use.label)) and isSelectable()).performClick()
        settle()
    }

    /** Types into the field with this label. */
    fun type(label: String, text: String) {
        rule.onNode(hasText(label) and hasSetTextAction()).performTextReplacement(text)
        settle()
    }

    /** Types more into the field with this label, key by key. */
    fun typeOn(label: String, text: String) {
        for (letter in text) {
            rule.onNode(hasText(label) and hasSetTextAction()).performTextInput(letter.toString())
            settle()
        }
    }

    /** Gives the open app another intent. */
    fun receive(intent: Intent) {
        controller.newIntent(intent)
        settle()
    }

    fun pause(milliseconds: Long) {
        rule.mainClock.advanceTimeBy(milliseconds)
        settle()
    }

    fun sees(text: String) {
        rule.onNodeWithText(text, substring = true).assertIsDisplayed()
    }

    fun count(text: String): Int =
        rule.onAllNodesWithText(text, substring = true).fetchSemanticsNodes().size

    /** The length of the longest text on the screen outside the passage, which is shown in parts. */
    fun longestText(): Int {
        val isText = SemanticsMatcher.keyIsDefined(SemanticsProperties.Text)
        return rule.onAllNodes(isText and !hasAnyAncestor(hasTestTag("passage")), true)
            .fetchSemanticsNodes().flatMap { it.config[SemanticsProperties.Text] }
            .maxOf { it.length }
    }

    /** The marked slices of the text on the screen. */
    fun marked(): List<String> = texts(rule.onNodeWithTag("passage").fetchSemanticsNode())
        .flatMap { text -> text.spanStyles.map { text.text.substring(it.start, it.end) } }

    /** The places of the marks in their paragraphs. */
    fun places(): List<IntRange> = texts(rule.onNodeWithTag("passage").fetchSemanticsNode())
        .flatMap { text -> text.spanStyles.map { it.start until it.end } }

    fun turn(to: String = "+land") {
        RuntimeEnvironment.setQualifiers(to)
        controller.recreate()
        settle()
    }

    /** Ends the process, and returns what Android keeps. */
    fun kill(): Bundle {
        val state = Bundle()
        controller.saveInstanceState(state)
        leave()
        return state
    }

    fun leave() {
        activity.finish()
        controller.pause().stop().destroy()
        TestApplication.current.settle()
    }

    private fun texts(node: SemanticsNode): List<AnnotatedString> =
        node.config.getOrNull(SemanticsProperties.Text).orEmpty() +
            node.children.flatMap(::texts)
}
