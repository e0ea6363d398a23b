package dev.mobilebert.demo

import android.app.Activity
import android.text.style.BackgroundColorSpan
import android.view.View
import android.widget.EditText
import android.widget.TextView
import org.robolectric.Robolectric
import org.robolectric.RuntimeEnvironment
import org.robolectric.android.controller.ActivityController

/** A screen as its user sees and touches it. */
class Screen<A : Activity>(type: Class<A>) {
    private val controller: ActivityController<A> = Robolectric.buildActivity(type).setup()
    val activity: A get() = controller.get()

    init {
        TestApplication.current.settle()
    }

    fun text(id: Int) = view<TextView>(id).text.toString()

    fun type(id: Int, text: String) = view<EditText>(id).setText(text)

    fun tap(id: Int) {
        view<View>(id).performClick()
    }

    /** What is highlighted, and nothing else may be. */
    fun highlighted(id: Int): IntRange? {
        val text = view<EditText>(id).text
        val span = text.getSpans(0, text.length, BackgroundColorSpan::class.java).singleOrNull()
            ?: return null
        return text.getSpanStart(span) until text.getSpanEnd(span)
    }

    fun turn() {
        RuntimeEnvironment.setQualifiers("+land")
        controller.configurationChange()
        TestApplication.current.settle()
    }

    fun leave() {
        activity.finish()
        controller.pause().stop().destroy()
        TestApplication.current.settle()
    }

    fun <V : View> view(id: Int): V = activity.view(id)
}
