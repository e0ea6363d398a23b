package dev.mobilebert.core

import java.io.InputStream

/**
 * What a model takes and gives, from the `model.json` that the exporter wrote beside it.
 *
 * @param name of the model; empty where the file names none.
 * @param kind "classification", "question_answering", ...
 * @param signatures by their length in tokens, ascending; a file may have several.
 * @param outputs names of what it gives.
 * @param labels a name for each class, or null.
 * @param lowerCase whether its texts are lower-cased.
 * @param settings how the kind makes answers, or null for its defaults; see [QuestionSettings].
 */
class ModelSpec private constructor(
    val name: String,
    val kind: String,
    val signatures: Map<Int, String>,
    val outputs: Set<String>,
    val labels: List<String>?,
    val lowerCase: Boolean,
    internal val settings: JsonObject?,
) {
    /** Tokens of its inputs, ascending. */
    val lengths: List<Int> = signatures.keys.toList()

    /** The most tokens that it takes. */
    val length: Int = lengths.last()

    /**
     * The shortest length for a sequence of so many tokens; the longest where none is enough.
     *
     * One position is left for padding, as `mobilebert_tf.export.file.metadata` does: with MobileBERT's
     * trigram input, the last token's state depends on whether any follows.
     */
    fun lengthFor(tokens: Int): Int = lengths.firstOrNull { it > tokens } ?: length

    /** The name of the signature for one of the [lengths]. */
    fun signature(length: Int): String = signatures.getValue(length)

    /** @throws ModelException unless it is a model of this kind with these outputs. */
    internal fun require(kind: String, vararg outputs: String) {
        if (kind != this.kind) {
            throw ModelException("The model is one for ${this.kind}, and this screen needs one " +
                "for $kind.")
        }
        val missing = outputs.toSet() - this.outputs
        if (missing.isNotEmpty()) {
            throw ModelException("The model does not give ${missing.joinToString()}: export it " +
                "again.")
        }
    }

    companion object {
        /** What the inputs of every exported model are called, all int32 `[1, length]`. */
        const val IDS = "ids"
        const val MASK = "mask"
        const val SEGMENT_IDS = "segment_ids"

        /**
         * Reads `model.json`; what it holds beside is passed over. Does not close the stream.
         *
         * @throws ModelException where it is not JSON, or a key is missing or of another type.
         */
        fun read(stream: InputStream, name: String = "model.json"): ModelSpec {
            val facts = JsonObject(Json.parse(readUtf8(stream, name), name), name)
            val bySignature = facts.objectAt("signatures")
            val lengths = facts.wholeNumbers("lengths")
            val isAscending = lengths.zipWithNext().all { (one, next) -> one < next }
            if (lengths.isEmpty() || lengths[0] < 3 || !isAscending) {
                throw ModelException("$name: \"lengths\" should be ascending numbers above 2.")
            }
            val missing = setOf(IDS, MASK, SEGMENT_IDS) - facts.objectAt("inputs").names
            if (missing.isNotEmpty()) {
                throw ModelException("$name: \"inputs\" lacks ${missing.joinToString()}.")
            }
            return ModelSpec(
                name = facts.optionalString("name") ?: "",
                kind = facts.string("kind"),
                signatures = lengths.associateWith { bySignature.string(it.toString()) },
                outputs = facts.objectAt("outputs").names,
                labels = facts.optionalStrings("labels"),
                lowerCase = facts.boolean("lower_case"),
                settings = facts.optionalObjectAt("settings"),
            )
        }
    }
}
