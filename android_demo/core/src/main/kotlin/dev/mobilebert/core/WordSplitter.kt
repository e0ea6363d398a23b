package dev.mobilebert.core

/**
 * Splits a text into words, as in the files that taggers are trained on.
 *
 * Words are those of CoNLL's files. Hyphens, points and ampersands stay inside a word. A clitic
 * ('s) and every other punctuation mark or symbol are words of their own; a repeated one (...) is
 * one word. A Han character is a word.
 *
 * Source: `mobilebert_tf.text.words`. Letters and digits are those of the device's Unicode;
 * characters that the device or Python does not know yet may be split differently.
 */
// No regular expression: Android's keep a step back for every repetition, and fail at a word of
// some 80,000 characters.
internal object WordSplitter {
    /** Returns the words in order. */
    fun split(text: String): List<Word> {
        val words = mutableListOf<Word>()
        var start = 0
        while (start < text.length) {
            val character = text.codePointAt(start)
            val after = start + Character.charCount(character)
            if (isSpace(character)) {
                start = after
                continue
            }
            val end = if (isHan(character)) after else
                abbreviation(text, start) ?: joined(text, start) ?: clitic(text, start)
                    ?: repeated(text, start)
            words += Word(start, end)
            start = end
        }
        return words
    }

    /** The end of `U.S.`, which is no part of a longer word; null for anything else. */
    private fun abbreviation(text: String, start: Int): Int? {
        var end = start
        var letters = 0
        while (isAt(text, end, ::isLetter)) {
            val point = text.offsetByCodePoints(end, 1)
            if (text.getOrNull(point) != '.') break
            end = point + 1
            letters++
        }
        return end.takeIf { letters >= 2 && !isAt(text, end, ::isWordCharacter) }
    }

    /** The end of `name`, `@name`, `#topic`, `Osc-Dis`, `3.5`, `AT&T` or `12,000`. */
    private fun joined(text: String, start: Int): Int? {
        val first = if (text[start] == '@' || text[start] == '#') start + 1 else start
        var end = plain(text, first) ?: return null
        while (isJoint(text, end)) end = plain(text, end + 1) ?: break
        return end
    }

    private fun isJoint(text: String, at: Int) = when (text.getOrNull(at)) {
        '-', '.', '&' -> true
        ',' -> isDigit(text.codePointBefore(at)) && isAt(text, at + 1, ::isDigit)
        else -> false
    }

    /** The end of `'s` behind a word. */
    private fun clitic(text: String, start: Int): Int? {
        val isBehind = start > 0 && isWordCharacter(text.codePointBefore(start))
        return if (isBehind && text[start] in "'’") plain(text, start + 1) else null
    }

    /** The end of `!!!`. */
    private fun repeated(text: String, start: Int): Int {
        val character = text.codePointAt(start)
        var end = start
        while (isAt(text, end) { it == character }) end += Character.charCount(character)
        return end
    }

    /** The end of the characters of a word from `start`; null if there are none. */
    private fun plain(text: String, start: Int): Int? {
        var end = start
        while (isAt(text, end, ::isWordCharacter)) end = text.offsetByCodePoints(end, 1)
        return end.takeIf { it > start }
    }

    private inline fun isAt(text: String, at: Int, test: (Int) -> Boolean) =
        at < text.length && test(text.codePointAt(at))

    private fun isWordCharacter(character: Int) =
        character == '_'.code || isDigit(character) || isLetter(character)

    private fun isDigit(character: Int) =
        Character.getType(character) == Character.DECIMAL_DIGIT_NUMBER.toInt()

    /** Marks and format characters, such as accents and zero-width ones, belong to their word. */
    private fun isLetter(character: Int) = !isHan(character) && when (
        Character.getType(character).toByte()
    ) {
        Character.UPPERCASE_LETTER, Character.LOWERCASE_LETTER, Character.TITLECASE_LETTER,
        Character.MODIFIER_LETTER, Character.OTHER_LETTER,
        Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.COMBINING_SPACING_MARK,
        Character.FORMAT, Character.LETTER_NUMBER, Character.OTHER_NUMBER,
        -> true
        else -> false
    }

    private fun isHan(character: Int) = when (character) {
        // U+E000 is here because Python's expression has it for all of these.
        0xE000, in 0x3400..0x4DBF, in 0x4E00..0x9FFF, in 0xF900..0xFAFF, in 0x20000..0x2A6DF,
        in 0x2A700..0x2B73F, in 0x2B740..0x2B81F, in 0x2B820..0x2CEAF, in 0x2F800..0x2FA1F,
        -> true
        else -> false
    }

    /** Whether it is white space for Python; Java knows less of it. */
    private fun isSpace(character: Int) = when (character) {
        in 0x09..0x0D, in 0x1C..0x20, 0x85, 0xA0, 0x1680, in 0x2000..0x200A, 0x2028, 0x2029, 0x202F,
        0x205F, 0x3000,
        -> true
        else -> false
    }
}
