package dev.mobilebert.core

import java.io.FileNotFoundException
import java.io.InputStream
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue

class ModelFilesTest {
    private val table = Golden.open("normalization_cased.txt").use { it.readBytes() }
    private val spec = """{"kind": "k", "lengths": [8], "signatures": {"8": "s"}, "outputs": {},
        "inputs": {"ids": {}, "mask": {}, "segment_ids": {}}, "lower_case": false}"""
    private val files = mapOf("model.json" to spec.toByteArray(), "normalization.txt" to table,
        "vocab.txt" to "[PAD]\n[UNK]\n[CLS]\n[SEP]\nÉ\n".toByteArray())

    private var closed = 0

    private fun read(files: Map<String, ByteArray>) = ModelFiles.read { name ->
        val bytes = files[name] ?: throw FileNotFoundException(name)
        object : InputStream() {
            private val stream = bytes.inputStream()

            override fun read() = stream.read()

            override fun close() {
                closed++
            }
        }
    }

    @Test
    fun readsAndClosesTheThreeFiles() {
        val found = read(files)
        assertEquals(listOf(4, 1), found.tokenizer.tokenize("É é").ids.toList())
        assertEquals(listOf(8), found.spec.lengths)
        assertEquals(3, closed)
    }

    @Test
    fun saysWhichFileIsMissing() {
        for (name in files.keys) {
            val error = assertFailsWith<ModelException> { read(files - name) }
            assertEquals("The app came without $name, which belongs to its model.", error.message)
            assertEquals(Problem.MissingFile(name), error.problem)
        }
    }

    @Test
    fun refusesTheTableOfAnotherModel() {
        val other = spec.replace("false", "true").toByteArray()
        val error = assertFailsWith<ModelException> { read(files + ("model.json" to other)) }
        assertContains(error.message!!, "are of different models")
        assertEquals(Problem.OtherModelsFile("normalization.txt"), error.problem)
    }

    @Test
    fun aVocabularyOfAnotherSizeIsRefused() {
        fun withSize(size: Int) =
            files + ("model.json" to spec.replace("{\"kind\"",
                "{\"config\": {\"vocab_size\": $size}, \"kind\"").toByteArray())
        assertEquals(5, read(withSize(5)).spec.vocabularySize)
        for (size in listOf(4, 6)) {
            val error = assertFailsWith<ModelException> { read(withSize(size)) }
            assertContains(error.message!!, "has 5 pieces, and the model knows $size")
            assertEquals(Problem.OtherModelsFile("vocab.txt"), error.problem)
        }
    }
}
