package dev.mobilebert.core

import java.io.InputStream

/**
 * The description of a model, from the `model.json` that the exporter wrote beside it.
 *
 * @param name the model's name; empty if the file has none.
 * @param kind "classification", "question_answering", ...
 * @param signatures names of signatures by length in tokens, ascending; a file may have several.
 * @param outputs names of the outputs.
 * @param labels a name for each class, or null.
 * @param lowerCase whether texts are lower-cased before the model reads them.
 * @param vocabularySize the number of pieces that the model knows; null if the file has none.
 * @param facts what people want to know of it.
 * @param settings how the kind makes answers, or null for its defaults; see [QuestionSettings].
 */
class ModelSpec private constructor(
    val name: String,
    val kind: String,
    val signatures: Map<Int, String>,
    val outputs: Set<String>,
    val labels: List<String>?,
    val lowerCase: Boolean,
    val vocabularySize: Int?,
    val facts: ModelFacts,
    internal val settings: JsonObject?,
) {
    /** The lengths of the inputs in tokens, ascending. */
    val lengths: List<Int> = signatures.keys.toList()

    /** The most tokens of an input. */
    val length: Int = lengths.last()

    /**
     * Returns the shortest length that holds so many tokens and one of padding; else the longest.
     *
     * The padding is there, as in `mobilebert_tf.export.file.metadata`, because with MobileBERT's
     * trigram input the last token's state depends on whether another one follows.
     */
    fun lengthFor(tokens: Int): Int = lengths.firstOrNull { it > tokens } ?: length

    /** Returns the name of the signature of one of the [lengths]. */
    fun signature(length: Int): String = signatures.getValue(length)

    /** @throws ModelException if the model is not of this kind, or lacks one of these outputs. */
    internal fun require(kind: String, vararg outputs: String) {
        if (kind != this.kind) {
            throw ModelException("The model is one for ${this.kind}, and one for $kind is needed.",
                Problem.WrongKind(this.kind, kind))
        }
        val missing = outputs.toSet() - this.outputs
        if (missing.isNotEmpty()) {
            throw ModelException("The model does not give ${missing.joinToString()}: export it " +
                "again.", Problem.UnusableFile(ModelFiles.SPEC))
        }
    }

    companion object {
        /** The names of the inputs of every exported model, int32 `[1, length]` each. */
        const val IDS = "ids"
        const val MASK = "mask"
        const val SEGMENT_IDS = "segment_ids"

        /**
         * Reads `model.json` and ignores keys that it does not need. Does not close the stream.
         *
         * @throws ModelException if it is not JSON, or a key is missing or has another type.
         */
        fun read(stream: InputStream, name: String = "model.json"): ModelSpec {
            val facts = JsonObject(Json.parse(readUtf8(stream, name), name), name)
            val bySignature = facts.objectAt("signatures")
            val lengths = facts.wholeNumbers("lengths")
            val isAscending = lengths.zipWithNext().all { (one, next) -> one < next }
            if (lengths.isEmpty() || lengths[0] < 3 || !isAscending) {
                throw ModelException("$name: \"lengths\" should be ascending numbers above 2.",
                    Problem.UnusableFile(name))
            }
            val missing = setOf(IDS, MASK, SEGMENT_IDS) - facts.objectAt("inputs").names
            if (missing.isNotEmpty()) {
                throw ModelException("$name: \"inputs\" lacks ${missing.joinToString()}.",
                    Problem.UnusableFile(name))
            }
            return ModelSpec(
                name = facts.optionalString("name") ?: "",
                kind = facts.string("kind"),
                signatures = lengths.associateWith { bySignature.string(it.toString()) },
                outputs = facts.objectAt("outputs").names,
                labels = facts.optionalStrings("labels"),
                lowerCase = facts.boolean("lower_case"),
                vocabularySize = facts.optionalObjectAt("config")
                    ?.optionalNumber("vocab_size")?.toInt(),
                facts = ModelFacts.read(facts),
                settings = facts.optionalObjectAt("settings"),
            )
        }
    }
}
