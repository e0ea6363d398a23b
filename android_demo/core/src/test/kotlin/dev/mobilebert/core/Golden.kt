package dev.mobilebert.core

import java.io.ByteArrayInputStream
import java.io.InputStream

/** Reads tests/golden/text and tests/golden/squad, which the Python tests read too. */
internal object Golden {
    val vocabulary: Vocabulary by lazy { Vocabulary.read(open("vocab.txt")) }
    private val tables = HashMap<Boolean, NormalizationTable>()

    fun open(name: String): InputStream =
        checkNotNull(javaClass.getResourceAsStream("/$name")) { "$name is not on the class path" }

    fun json(name: String): Map<*, *> =
        open(name).use { Json.parse(readUtf8(it, name), name) as Map<*, *> }

    fun table(lowerCase: Boolean): NormalizationTable = tables.getOrPut(lowerCase) {
        val name = if (lowerCase) "normalization_lower_case.txt" else "normalization_cased.txt"
        open(name).use { NormalizationTable.read(it) }
    }

    fun tokenizer(lowerCase: Boolean = true) = BertTokenizer(vocabulary, table(lowerCase))

    /** Returns a tokenizer of the special pieces and [pieces]; the first of these has the id 5. */
    fun small(vararg pieces: String, lowerCase: Boolean = true) = BertTokenizer(
        Vocabulary(listOf("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]") + pieces), table(lowerCase))
}

internal fun stream(text: String): InputStream = ByteArrayInputStream(text.toByteArray())

internal fun Any?.asInts(): List<Int> = (this as List<*>).map { (it as Double).toInt() }

internal fun Any?.asObjects(): List<Map<*, *>> = (this as List<*>).map { it as Map<*, *> }

internal fun Any?.asFloats(): FloatArray =
    (this as List<*>).map { (it as Double).toFloat() }.toFloatArray()

internal fun Map<*, *>.int(key: String): Int = (this[key] as Double).toInt()
