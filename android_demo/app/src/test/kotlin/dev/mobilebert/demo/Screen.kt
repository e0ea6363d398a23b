package dev.mobilebert.demo

import android.app.Activity
import android.text.style.BackgroundColorSpan
import android.view.View
import android.view.ViewGroup
import android.widget.EditText
import android.widget.TextView
import org.robolectric.Robolectric
import org.robolectric.RuntimeEnvironment
import org.robolectric.android.controller.ActivityController

/** A screen as its user sees and touches it. */
class Screen<A : Activity>(type: Class<A>, fontScale: Float = 1f) {
    private val controller: ActivityController<A>
    val activity: A get() = controller.get()

    init {
        RuntimeEnvironment.setFontScale(fontScale)
        controller = Robolectric.buildActivity(type).setup()
        TestApplication.current.settle()
    }

    fun text(id: Int) = view<TextView>(id).text.toString()

    fun type(id: Int, text: String) = view<EditText>(id).setText(text)

    fun tap(id: Int) {
        view<View>(id).performClick()
    }

    /** Returns the highlighted place; null unless there is exactly one. */
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

    /** The content of the screen, without the system's bars. */
    fun views(): List<View> = all(view(android.R.id.content))

    private fun all(view: View): List<View> {
        val children = (view as? ViewGroup)?.let { List(it.childCount, it::getChildAt) }.orEmpty()
        return listOf(view) + children.flatMap(::all)
    }
}
