package dev.mobilebert.demo

import android.app.Activity
import android.view.View

// The framework's requireViewById is newer than the oldest Android of the app.

/** The view of the screen's layout that has this id. */
internal fun <V : View> Activity.view(id: Int): V = checkNotNull(findViewById<V>(id))

/** The view below this one that has this id. */
internal fun <V : View> View.view(id: Int): V = checkNotNull(findViewById<V>(id))
