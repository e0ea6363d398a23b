package dev.mobilebert.demo

import android.app.Activity
import android.view.View

// The framework's requireViewById is newer than the oldest Android that the app supports.

/** Returns the view with this id in the screen's layout. */
internal fun <V : View> Activity.view(id: Int): V = checkNotNull(findViewById<V>(id))

/** Returns the view with this id inside this view. */
internal fun <V : View> View.view(id: Int): V = checkNotNull(findViewById<V>(id))
