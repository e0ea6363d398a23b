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
internal object WordSplitter {
    // U+E000 is here because Python's expression has it for all of these.
    private const val HAN = "\\uE000\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF" +
        "\\x{20000}-\\x{2A6DF}\\x{2A700}-\\x{2B73F}\\x{2B740}-\\x{2B81F}\\x{2B820}-\\x{2CEAF}" +
        "\\x{2F800}-\\x{2FA1F}"

    // Marks and format characters, such as accents and zero-width ones, belong to the word around
    // them.
    private const val LETTER = "[\\p{L}\\p{M}\\p{Cf}\\p{Nl}\\p{No}&&[^$HAN]]"
    private const val WORD_CHARACTER = "[\\p{L}\\p{M}\\p{Cf}\\p{N}_&&[^$HAN]]"

    // Python's white space. Java's \s knows less of it.
    private const val SPACE = "\\u0009-\\u000D\\u001C-\\u0020\\u0085\\u00A0\\u1680" +
        "\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000"

    // Possessive quantifiers change no match, and a long word takes no stack. What stands before is
    // looked for in one or two units: Java looks only one unit back for one character.
    private val WORD = Regex(
        listOf(
            "[$HAN]",
            "(?:$LETTER\\.){2,}+(?!$WORD_CHARACTER)", // U.S.
            // @name, #topic, Osc-Dis, 3.5, AT&T, 12,000
            "[@#]?$WORD_CHARACTER++(?:(?:[-.&]|(?<=\\p{Nd}{1,2}),(?=\\p{Nd}))$WORD_CHARACTER++)*+",
            "(?<=$WORD_CHARACTER{1,2})['’]$WORD_CHARACTER++", // 's of it's
            // Half a pair, alone; Java would find it again in the next pair.
            "([\\uD800-\\uDBFF])(?:\\1(?![\\uDC00-\\uDFFF]))*+",
            "([^$SPACE])\\2*+", // !!!
        ).joinToString("|"),
    )

    /** Returns the words in order. */
    fun split(text: String): List<Word> =
        WORD.findAll(text).map { Word(it.range.first, it.range.last + 1) }.toList()
}
