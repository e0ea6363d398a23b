package dev.mobilebert.core

/**
 * Reads JSON strictly by RFC 8259. (Android's own reader is not on the JVM.)
 *
 * An object becomes a `Map`, an array a `List`, a number a `Double`. A `\u` escape may be half a
 * surrogate pair. An object with two equal names is refused.
 */
internal class Json private constructor(private val text: String, private val name: String) {
    private var place = 0
    private var depth = 0

    private fun document(): Any? {
        val value = value()
        skipSpace()
        if (place < text.length) fail("there is something behind the end")
        return value
    }

    private fun value(): Any? {
        skipSpace()
        return when (peek()) {
            '{' -> nested { readObject() }
            '[' -> nested { readArray() }
            '"' -> readString()
            't' -> word("true", true)
            'f' -> word("false", false)
            'n' -> word("null", null)
            else -> number()
        }
    }

    private fun <T> nested(read: () -> T): T {
        if (++depth > MAX_DEPTH) fail("it is nested more than $MAX_DEPTH deep")
        return read().also { depth-- }
    }

    private fun readObject(): Map<String, Any?> {
        val found = LinkedHashMap<String, Any?>()
        members('}') {
            skipSpace()
            if (peek() != '"') fail("a name in quotes is expected")
            val key = readString()
            skipSpace()
            expect(':')
            if (key in found) fail("the name \"$key\" stands twice")
            found[key] = value()
        }
        return found
    }

    private fun readArray(): List<Any?> {
        val found = ArrayList<Any?>()
        members(']') { found.add(value()) }
        return found
    }

    private fun members(end: Char, read: () -> Unit) {
        place++
        skipSpace()
        if (peek() == end) {
            place++
            return
        }
        while (true) {
            read()
            skipSpace()
            if (peek() == end) {
                place++
                return
            }
            expect(',')
        }
    }

    private fun readString(): String {
        place++
        val found = StringBuilder()
        while (true) {
            val character = peek() ?: fail("a string does not end")
            place++
            when {
                character == '"' -> return found.toString()
                character == '\\' -> found.append(escaped())
                character < ' ' -> fail("a string holds a control character")
                else -> found.append(character)
            }
        }
    }

    private fun escaped(): Char {
        val character = peek() ?: fail("a string does not end")
        place++
        if (character == 'u') {
            val digits = text.substring(place, minOf(place + 4, text.length))
            if (!HEXADECIMAL.matches(digits)) fail("four hexadecimal digits are expected")
            place += 4
            return digits.toInt(16).toChar()
        }
        return ESCAPES[character] ?: fail("there is no escape \\$character")
    }

    private fun <T> word(word: String, value: T): T {
        if (!text.startsWith(word, place)) fail("a value is expected")
        place += word.length
        return value
    }

    private fun number(): Double {
        val match = NUMBER.find(text, place)?.takeIf { it.range.first == place }
            ?: fail("a value is expected")
        place = match.range.last + 1
        return match.value.toDouble()
    }

    private fun skipSpace() {
        while (place < text.length && text[place] in " \t\r\n") place++
    }

    private fun peek(): Char? = text.getOrNull(place)

    private fun expect(character: Char) {
        if (peek() != character) fail("'$character' is expected")
        place++
    }

    private fun fail(reason: String): Nothing {
        val line = text.substring(0, minOf(place, text.length)).count { it == '\n' } + 1
        throw ModelException("$name, line $line is not JSON: $reason.",
            Problem.UnusableFile(name))
    }

    companion object {
        private const val MAX_DEPTH = 100
        private val NUMBER = Regex("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?")
        private val HEXADECIMAL = Regex("[0-9A-Fa-f]{4}")
        private val ESCAPES = mapOf(
            '"' to '"', '\\' to '\\', '/' to '/', 'b' to '\b', 'f' to '\u000c', 'n' to '\n',
            'r' to '\r', 't' to '\t',
        )

        /** Parses a text; [name] names it in messages. */
        fun parse(text: String, name: String): Any? = Json(text, name).document()
    }
}
