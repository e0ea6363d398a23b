package dev.mobilebert.demo

import android.content.ContentResolver
import android.net.Uri
import java.io.IOException
import java.io.Reader

/** Reads text files that other apps share. */
internal class SharedFile(private val resolver: ContentResolver) {
    /** Returns the beginning of a file, as much as the app reads; null if it cannot be read. */
    fun read(file: Uri): String? {
        // Other addresses could name this app's own files.
        if (file.scheme != ContentResolver.SCHEME_CONTENT) return null
        return try {
            resolver.openInputStream(file)?.reader()?.use(::beginning)
        } catch (_: IOException) {
            null
        } catch (_: RuntimeException) {
            // Binder passes on what the other app's code throws.
            null
        }
    }

    private fun beginning(reader: Reader): String {
        val characters = CharArray(MOST)
        var count = 0
        while (count < MOST) {
            val read = reader.read(characters, count, MOST - count)
            if (read < 0) break
            count += read
        }
        return String(characters, 0, count)
    }

    private companion object {
        /** The most characters: a long book. */
        const val MOST = 2_000_000
    }
}
