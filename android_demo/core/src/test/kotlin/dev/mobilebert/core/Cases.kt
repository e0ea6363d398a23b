package dev.mobilebert.core

import java.io.File
import java.io.FileInputStream
import org.junit.jupiter.api.Assumptions.assumeTrue

/** Reads Python's results, which android_demo/checks writes anew in each run. */
internal object Cases {
    fun file(name: String) =
        File(property("mobilebert.cases", "needs Python's results: make android-checks"), name)

    /** Returns a system property; skips the test with [reason] if it is not set. */
    fun property(name: String, reason: String): String {
        val value = System.getProperty(name)
        assumeTrue(value != null, reason)
        return value
    }

    fun json(name: String): Map<*, *> =
        FileInputStream(file(name)).use { Json.parse(readUtf8(it, name), name) as Map<*, *> }

    fun vocabulary(path: String): Vocabulary =
        FileInputStream(file(path)).use { Vocabulary.read(it, path) }

    fun table(path: String): NormalizationTable =
        FileInputStream(file(path)).use { NormalizationTable.read(it, path) }

    /** A line that android_demo/checks shows. */
    fun measured(line: String) = println("measured: $line")
}
