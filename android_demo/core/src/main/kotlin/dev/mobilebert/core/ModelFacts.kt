package dev.mobilebert.core

/**
 * What `model.json` says about a model to people: how large it is, and how good.
 *
 * Every fact may be missing.
 *
 * @param recipe how the file was quantized, such as "int8".
 * @param bytes the size of the file.
 * @param metric what [score] is, such as "f1"; from 0 to 1.
 * @param score the file's score on [examples] examples of the task's evaluation data.
 * @param evaluatedOn the name of these data.
 * @param checksums the SHA-256 of each of the model's files, in hexadecimal digits.
 */
class ModelFacts internal constructor(
    val task: String?,
    val licence: String?,
    val baseModel: String?,
    val parameters: Long?,
    val recipe: String?,
    val bytes: Long?,
    val metric: String?,
    val score: Double?,
    val examples: Int?,
    val evaluatedOn: String?,
    val checksums: Set<String>,
) {
    /** Whether the score is below one half, where it is one that tells how often answers are right. */
    val isWeak: Boolean get() = score != null && metric in SHARES && score < WEAK

    internal companion object {
        private const val WEAK = 0.5

        /** Other scores, such as Matthews correlation, are low for good models too. */
        private val SHARES = setOf("accuracy", "f1", "micro_f1")

        fun read(facts: JsonObject): ModelFacts {
            val files = facts.optionalObjects("files")
            val file = files.firstOrNull()
            val gate = file?.optionalObjectAt("gate")
            return ModelFacts(
                task = facts.optionalString("task"),
                licence = facts.optionalString("licence"),
                baseModel = facts.optionalString("base_model"),
                parameters = facts.optionalNumber("parameters")?.toLong(),
                recipe = file?.optionalString("recipe"),
                bytes = file?.optionalNumber("bytes")?.toLong(),
                metric = gate?.optionalString("metric"),
                score = gate?.optionalNumber("file_score"),
                examples = gate?.optionalNumber("examples")?.toInt(),
                evaluatedOn = facts.optionalObjectAt("evaluated_on")?.optionalString("file"),
                checksums = files.mapNotNull { it.optionalString("sha256") }.toSet(),
            )
        }
    }
}
