package dev.mobilebert.core

import java.io.IOException
import java.io.InputStream

/** The files beside a model: its description, and its vocabulary and table as a tokenizer. */
class ModelFiles private constructor(val spec: ModelSpec, val tokenizer: BertTokenizer) {
    companion object {
        const val SPEC = "model.json"
        const val VOCABULARY = "vocab.txt"
        const val TABLE = "normalization.txt"

        /**
         * Reads the three files.
         *
         * @param open opens a file by its name, and throws an `IOException` if it is missing.
         * @throws ModelException if a file is missing or cannot be used, or the table or the
         *   vocabulary is that of another model.
         */
        fun read(open: (name: String) -> InputStream): ModelFiles {
            fun <T> read(name: String, parse: (InputStream, String) -> T): T = try {
                open(name).use { parse(it, name) }
            } catch (error: IOException) {
                throw ModelException("The app came without $name, which belongs to its model.",
                    Problem.MissingFile(name), error)
            }
            val spec = read(SPEC, ModelSpec::read)
            val table = read(TABLE, NormalizationTable::read)
            if (table.lowerCase != spec.lowerCase) {
                throw ModelException("$TABLE and $SPEC are of different models: one lower-cases, " +
                    "the other does not.", Problem.OtherModelsFile(TABLE))
            }
            val vocabulary = read(VOCABULARY, Vocabulary::read)
            val known = spec.vocabularySize ?: vocabulary.pieces.size
            if (vocabulary.pieces.size != known) {
                throw ModelException("$VOCABULARY has ${vocabulary.pieces.size} pieces, and the " +
                    "model knows $known: it is another model's.", Problem.OtherModelsFile(VOCABULARY))
            }
            return ModelFiles(spec, BertTokenizer(vocabulary, table))
        }
    }
}
