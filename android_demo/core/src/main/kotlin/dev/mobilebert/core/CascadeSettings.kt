package dev.mobilebert.core

import java.io.InputStream

/**
 * The threshold between two models, from the JSON file that `mobilebert cascade` wrote.
 *
 * @param file the name of that file.
 * @param labels the classes of both models; null if they have no names.
 * @param threshold the first answer stands where its confidence is above it; from 0 to 1.
 * @param checksums the SHA-256 of the first and of the second file, in hexadecimal digits.
 */
class CascadeSettings private constructor(
    internal val file: String,
    val labels: List<String>?,
    val threshold: Double,
    val checksums: List<String>,
) {
    companion object {
        private const val KIND = "classification"

        /**
         * Reads the file and ignores keys that it does not need. Does not close the stream.
         *
         * @throws ModelException if it is not JSON, a key is missing or has another type or range,
         *   or the models are no classifiers.
         */
        fun read(stream: InputStream, name: String = "cascade.json"): CascadeSettings {
            val facts = JsonObject(Json.parse(readUtf8(stream, name), name), name)
            val kind = facts.string("kind")
            if (kind != KIND) {
                throw ModelException("$name is for $kind, and this core has cascades for $KIND.",
                    Problem.WrongKind(kind, KIND))
            }
            val threshold = facts.optionalNumber("threshold")
            if (threshold == null || threshold !in 0.0..1.0) {
                throw ModelException("$name: \"threshold\" should be a number from 0 to 1.",
                    Problem.UnusableFile(name))
            }
            val files = facts.optionalObjects("files")
            if (files.size != 2) {
                throw ModelException("$name: \"files\" should name two files.",
                    Problem.UnusableFile(name))
            }
            return CascadeSettings(name, facts.optionalStrings("labels"), threshold,
                files.map { it.string("sha256") })
        }
    }
}
