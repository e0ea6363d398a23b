package dev.mobilebert.demo

import android.app.Activity
import android.content.ComponentName
import android.content.Intent
import android.content.IntentFilter
import android.graphics.Insets
import android.speech.RecognizerIntent
import android.view.WindowInsets
import androidx.activity.compose.setContent
import androidx.compose.material3.ColorScheme
import androidx.compose.material3.MaterialTheme
import androidx.compose.material3.dynamicDarkColorScheme
import androidx.compose.material3.dynamicLightColorScheme
import androidx.compose.ui.test.SemanticsMatcher
import androidx.compose.ui.test.assertIsDisplayed
import androidx.compose.ui.test.hasClickAction
import androidx.compose.ui.test.hasSetTextAction
import androidx.compose.ui.test.hasText
import androidx.compose.ui.test.isHeading
import androidx.compose.ui.test.isSelectable
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import androidx.compose.ui.test.onAllNodesWithContentDescription
import androidx.compose.ui.test.performScrollTo
import androidx.core.view.WindowCompat
import dev.mobilebert.demo.ui.DemoTheme
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf

/** What the app has from Android: bars, keyboard, colours, the back gesture, speech. */
@RunWith(RobolectricTestRunner::class)
class WindowTest {
    @get:Rule
    val rule = createEmptyComposeRule()
    private val button = hasText("Ask") and hasClickAction() and !isSelectable()

    private fun Demo.cover(top: Int, bottom: Int, keyboard: Int = 0) {
        val insets = WindowInsets.Builder()
            .setInsets(WindowInsets.Type.statusBars(), Insets.of(0, top, 0, 0))
            .setInsets(WindowInsets.Type.navigationBars(), Insets.of(0, 0, 0, bottom))
            .setInsets(WindowInsets.Type.ime(), Insets.of(0, 0, 0, keyboard))
            .setVisible(WindowInsets.Type.ime(), keyboard > 0)
            .build()
        activity.window.decorView.dispatchApplyWindowInsets(insets)
        settle()
    }

    private fun place(matcher: SemanticsMatcher) =
        rule.onNode(matcher).fetchSemanticsNode().boundsInWindow

    @Test
    fun controlsLieBetweenTheBars() {
        val demo = Demo(rule)
        demo.cover(top = 40, bottom = 30)
        assertTrue(place(isHeading()).top >= 40)
        val navigation = place(hasText("Classify") and isSelectable())
        assertTrue(navigation.bottom <= demo.activity.window.decorView.height - 30)
        assertTrue(place(button).bottom <= navigation.top)
    }

    @Test
    fun theButtonStaysAboveTheKeyboard() {
        RuntimeEnvironment.setQualifiers("w360dp-h740dp-mdpi")
        val demo = Demo(rule)
        val before = place(button)
        demo.cover(top = 0, bottom = 0, keyboard = 300)
        val after = place(button)
        val keyboard = demo.activity.window.decorView.height - 300
        assertTrue(before.bottom > keyboard, "there is nothing to move")
        assertTrue(after.bottom <= keyboard)
        assertEquals(before.height, after.height)
    }

    @Test
    fun onAPhoneOnItsSideTheKeyboardLeavesRoomToType() {
        RuntimeEnvironment.setQualifiers("w740dp-h360dp-land-mdpi")
        val demo = Demo(rule)
        demo.tap("Edit")
        demo.cover(top = 24, bottom = 0, keyboard = 200)
        val field = hasText("Text") and hasSetTextAction()
        // The focus does this on a phone.
        rule.onNode(field).performScrollTo()
        assertTrue(place(field).height >= 40, "${place(field)}")
        rule.onNode(button).performScrollTo().assertIsDisplayed()
    }

    @Test
    fun theBarsHaveDarkSymbolsByDayAndLightOnesByNight() {
        for ((mode, isDark) in listOf("notnight" to true, "night" to false)) {
            RuntimeEnvironment.setQualifiers("+$mode")
            val demo = Demo(rule)
            val window = demo.activity.window
            val bars = WindowCompat.getInsetsController(window, window.decorView)
            assertEquals(isDark, bars.isAppearanceLightStatusBars, mode)
            assertEquals(isDark, bars.isAppearanceLightNavigationBars, mode)
            demo.leave()
        }
    }

    @Test
    fun theColoursAreThoseOfTheWallpaper() {
        for (mode in listOf("notnight", "night")) {
            RuntimeEnvironment.setQualifiers("+$mode")
            val demo = Demo(rule)
            lateinit var colors: ColorScheme
            demo.activity.setContent { DemoTheme { colors = MaterialTheme.colorScheme } }
            demo.settle()
            val expected = if (mode == "night") dynamicDarkColorScheme(demo.activity)
            else dynamicLightColorScheme(demo.activity)
            assertEquals(expected.primary, colors.primary, mode)
            assertEquals(expected.surface, colors.surface, mode)
            demo.leave()
        }
    }

    @Test
    fun backLeavesThePageThatTheBarOpened() {
        val demo = Demo(rule)
        for (page in listOf("History", "About the model")) {
            demo.tapSymbol(page)
            assertEquals(0, demo.count("Ask a passage"))
            demo.activity.onBackPressedDispatcher.onBackPressed()
            demo.settle()
            demo.sees("Ask a passage")
            assertFalse(demo.activity.isFinishing)
        }
        // Android itself shows where the gesture leads, unless the app listens to it.
        assertFalse(demo.activity.onBackPressedDispatcher.hasEnabledCallbacks())
    }

    @Test
    fun speechFillsTheQuestion() {
        val packages = shadowOf(TestApplication.current.packageManager)
        val listener = ComponentName("com.example.listener", "Listener")
        packages.addActivityIfNotPresent(listener)
        packages.addIntentFilterForActivity(listener,
            IntentFilter(RecognizerIntent.ACTION_RECOGNIZE_SPEECH)
                .apply { addCategory(Intent.CATEGORY_DEFAULT) })
        val demo = Demo(rule)
        demo.tapSymbol("Speak")
        val started = shadowOf(demo.activity).nextStartedActivityForResult
        assertEquals(RecognizerIntent.ACTION_RECOGNIZE_SPEECH, started.intent.action)
        shadowOf(demo.activity).receiveResult(started.intent, Activity.RESULT_OK, Intent()
            .putStringArrayListExtra(RecognizerIntent.EXTRA_RESULTS, arrayListOf("What is old?")))
        demo.settle()
        demo.sees("What is old?")
    }

    @Test
    fun withoutAnAppThatListensThereIsNoMicrophone() {
        Demo(rule)
        assertEquals(0, rule.onAllNodesWithContentDescription("Speak").fetchSemanticsNodes().size)
    }
}
