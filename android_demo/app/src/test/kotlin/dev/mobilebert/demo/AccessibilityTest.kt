package dev.mobilebert.demo

import android.app.Activity
import android.view.View
import android.widget.EditText
import android.widget.ProgressBar
import kotlin.test.assertEquals
import kotlin.test.assertTrue
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner

/** What a screen reader needs of both screens. */
@RunWith(RobolectricTestRunner::class)
class AccessibilityTest {
    private fun <A : Activity> check(type: Class<A>) {
        TestApplication.current.open = { TestRunner.lastHarbour() }
        val views = Screen(type).views()
        val labelled = views.map { it.labelFor }
        val fields = views.filterIsInstance<EditText>()
        assertTrue(fields.isNotEmpty())
        for (field in fields) assertTrue(field.id in labelled, "$field has no label")
        val status = views.single { it.id == R.id.status }
        assertEquals(View.ACCESSIBILITY_LIVE_REGION_POLITE, status.accessibilityLiveRegion)
        for (bar in views.filterIsInstance<ProgressBar>()) {
            assertEquals(View.IMPORTANT_FOR_ACCESSIBILITY_NO, bar.importantForAccessibility)
        }
        assertEquals(1, views.count { it.isAccessibilityHeading })
    }

    @Test
    fun questionScreen() = check(QuestionActivity::class.java)

    @Test
    fun classificationScreen() = check(ClassificationActivity::class.java)
}
