package dev.mobilebert.demo

import android.text.Editable
import android.text.TextWatcher
import android.widget.EditText

/** Calls [action] after each change of the text. */
internal fun EditText.onTextChanged(action: () -> Unit) {
    addTextChangedListener(object : TextWatcher {
        override fun beforeTextChanged(s: CharSequence, start: Int, count: Int, after: Int) = Unit

        override fun onTextChanged(s: CharSequence, start: Int, before: Int, count: Int) = Unit

        override fun afterTextChanged(s: Editable) = action()
    })
}
