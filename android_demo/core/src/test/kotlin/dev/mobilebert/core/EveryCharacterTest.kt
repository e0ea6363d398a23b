package dev.mobilebert.core

import java.security.MessageDigest
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** Compares checksums of what Python's tokenizer does with every character that Unicode has. */
class EveryCharacterTest {
    private val file = Golden.json("every_character.json")
    private val patterns = (file["patterns"] as List<*>).map { it as String }
    private val size = file.int("block")

    @Test
    fun lowerCased() = assertTokenizesAlike("lower_case", true)

    @Test
    fun cased() = assertTokenizesAlike("cased", false)

    private fun assertTokenizesAlike(name: String, lowerCase: Boolean) {
        val tokenizer = BertTokenizer(Vocabulary(pieces()), Golden.table(lowerCase))
        val checksums = file[name] as Map<*, *>
        val wrong = checksums.filter { (first, checksum) ->
            checksum(tokenizer, (first as String).toInt(16)) != checksum
        }.keys
        assertEquals(emptySet(), wrong, "blocks of $size characters, by the first, are different")
        assertTrue(checksums.size > 150)
    }

    /** The special pieces, then each character as a word and as the rest of one. */
    private fun pieces(): List<String> {
        val characters = (file["characters"] as List<*>).map { it.asInts() }
            .flatMap { (first, last) -> first..last }
            .map { String(Character.toChars(it)) }
        return listOf("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") + characters +
            characters.map { "##$it" }
    }

    private fun checksum(tokenizer: BertTokenizer, first: Int): String {
        val sha256 = MessageDigest.getInstance("SHA-256")
        for (pattern in patterns) {
            val text = (first until first + size).filter { it !in 0xD800..0xDFFF }
                .joinToString(" ") { pattern.replace("X", String(Character.toChars(it))) }
            val tokens = tokenizer.tokenize(text)
            val lines = tokens.ids.indices.joinToString("") {
                "${tokens.ids[it]} ${tokens.starts[it]} ${tokens.ends[it]}\n"
            }
            sha256.update(lines.toByteArray())
        }
        return sha256.digest().joinToString("") { "%02x".format(it) }.take(CHECKSUM_DIGITS)
    }

    private companion object {
        const val CHECKSUM_DIGITS = 16
    }
}
