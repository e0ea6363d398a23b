package dev.mobilebert.demo

import android.content.Intent
import androidx.compose.ui.test.junit4.v2.createEmptyComposeRule
import kotlin.test.assertEquals
import org.junit.Rule
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

@RunWith(RobolectricTestRunner::class)
class IntentsTest {
    @get:Rule
    val rule = createEmptyComposeRule()
    private val application = TestApplication.current

    /** The activity that Android opens; fails unless there is one, which others may open. */
    private fun opened(intent: Intent): String =
        application.packageManager.queryIntentActivities(intent.setPackage(application.packageName), 0)
            .single { it.activityInfo.exported }.activityInfo.name

    @Test
    fun theLauncherOpensTheApp() {
        val intent = Intent(Intent.ACTION_MAIN).addCategory(Intent.CATEGORY_LAUNCHER)
        assertEquals(MainActivity::class.java.name, opened(intent))
    }

    @Test
    fun aSharedTextIsThePassage() {
        val intent = Intent(Intent.ACTION_SEND).setType("text/plain")
            .putExtra(Intent.EXTRA_TEXT, "Shared by another app.")
        assertEquals(MainActivity::class.java.name, opened(intent))
        val demo = Demo(rule, intent)
        demo.sees("Shared by another app.")
        demo.show(Use.FIND)
        demo.sees("Shared by another app.")
    }

    @Test
    fun aSelectedTextIsThePassage() {
        val intent = Intent(Intent.ACTION_PROCESS_TEXT).setType("text/plain")
            .putExtra(Intent.EXTRA_PROCESS_TEXT, "Selected in another app.")
        assertEquals(MainActivity::class.java.name, opened(intent))
        Demo(rule, intent).sees("Selected in another app.")
    }

    @Test
    fun anotherIntentChangesNothing() {
        val intent = Intent(Intent.ACTION_MAIN).putExtra(Intent.EXTRA_TEXT, "Not shared.")
        assertEquals(0, Demo(rule, intent).count("Not shared."))
    }
}
