package dev.mobilebert.core

import java.io.InputStream
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException

/** Reads a stream to its end as text. [name] names it in messages. Does not close the stream. */
internal fun readUtf8(stream: InputStream, name: String): String {
    val bytes = ByteBuffer.wrap(stream.readBytes())
    val text = try {
        Charsets.UTF_8.newDecoder().decode(bytes).toString()
    } catch (error: CharacterCodingException) {
        val line = (0 until bytes.position()).count { bytes[it] == '\n'.code.toByte() } + 1
        throw ModelException("$name, line $line is not UTF-8.", Problem.UnusableFile(name), error)
    }
    if (text.startsWith('\uFEFF')) {
        throw ModelException("$name starts with a byte order mark: save it as UTF-8 without one.",
            Problem.UnusableFile(name))
    }
    return text
}
