package dev.mobilebert.demo

import android.content.ContentResolver
import android.net.Uri
import java.io.IOException
import java.io.InputStreamReader
import java.io.Reader

/** Reads text files that other apps share. */
internal class SharedFile(private val resolver: ContentResolver) {
    /**
     * Returns the beginning of a file, up to [most] characters; null if it cannot be read, or is not
     * UTF-8.
     */
    fun read(file: Uri, most: Int): String? {
        // Other addresses could name this app's own files.
        if (file.scheme != ContentResolver.SCHEME_CONTENT) return null
        return try {
            // A decoder of its own refuses what is malformed; others put marks in its place.
            resolver.openInputStream(file)?.let { InputStreamReader(it, Charsets.UTF_8.newDecoder()) }
                ?.use { beginning(it, most) }
        } catch (_: IOException) {
            null
        } catch (_: RuntimeException) {
            // Binder passes on what the other app's code throws.
            null
        }
    }

    private fun beginning(reader: Reader, most: Int): String {
        val characters = CharArray(most)
        var count = 0
        while (count < most) {
            val read = reader.read(characters, count, most - count)
            if (read < 0) break
            count += read
        }
        return String(characters, 0, count)
    }
}
