package dev.mobilebert.demo

import android.os.Bundle
import android.util.AtomicFile
import androidx.compose.runtime.getValue
import androidx.compose.runtime.mutableStateOf
import androidx.compose.runtime.setValue
import androidx.lifecycle.SavedStateHandle
import java.io.File
import java.io.IOException

/**
 * A text that survives the end of the process. A long one is kept in [file], because Android ends
 * an app whose saved state has more than about a megabyte.
 *
 * @param key its name in the saved state.
 * @param initial the text at the first start.
 * @param most the most characters; the rest is cut off.
 * @param onChange called after each change.
 */
class SavedText(
    saved: SavedStateHandle,
    key: String,
    private val file: File,
    initial: String,
    private val most: Int,
    private val onChange: () -> Unit,
) {
    private var current by mutableStateOf(restored(saved[key]) ?: initial)
    private var isWritten = false

    /** Whether the rest of the text was cut off. */
    var isCut by mutableStateOf(saved.get<Bundle>(key)?.getBoolean(IS_CUT) == true)
        private set

    var value: String
        get() = current
        set(value) {
            val kept = value.beginning(most)
            isCut = kept.length < value.length
            if (kept == current) return
            current = kept
            isWritten = false
            onChange()
        }

    /** Whether the user edits the text; else it is read, with its marks. */
    var isEdited by mutableStateOf(false)

    init {
        saved.setSavedStateProvider(key, ::save)
    }

    private fun save(): Bundle = Bundle().apply {
        putBoolean(IS_CUT, isCut)
        if (current.length <= MOST_IN_STATE) {
            file.delete()
            putString(TEXT, current)
        } else {
            try {
                if (!isWritten) write()
                putBoolean(IS_IN_FILE, true)
            } catch (_: IOException) {
                // The phone is full: keep the beginning.
                putString(TEXT, current.beginning(MOST_IN_STATE))
            }
        }
    }

    /** Writes the text beside the file and renames it: a text of before stays whole till then. */
    private fun write() {
        val whole = AtomicFile(file)
        val stream = whole.startWrite()
        try {
            stream.write(current.toByteArray())
            whole.finishWrite(stream)
        } catch (error: IOException) {
            whole.failWrite(stream)
            throw error
        }
        isWritten = true
    }

    private fun restored(bundle: Bundle?): String? = when {
        bundle == null -> null
        bundle.getBoolean(IS_IN_FILE) -> try {
            AtomicFile(file).readFully().decodeToString()
        } catch (_: IOException) {
            null
        }
        else -> bundle.getString(TEXT)
    }

    private companion object {
        const val MOST_IN_STATE = 20_000
        const val TEXT = "text"
        const val IS_IN_FILE = "isInFile"
        const val IS_CUT = "isCut"
    }
}
