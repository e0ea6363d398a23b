package dev.mobilebert.core

import dev.mobilebert.core.NormalizationTable.Companion.ACCENT
import dev.mobilebert.core.NormalizationTable.Companion.CASED
import dev.mobilebert.core.NormalizationTable.Companion.IGNORABLE
import dev.mobilebert.core.NormalizationTable.Companion.REMOVED
import dev.mobilebert.core.NormalizationTable.Companion.SPECIAL

/** Code points, each with the place in the original text of the character that it comes from. */
internal class Normalized(capacity: Int) {
    val points = IntBuffer(capacity)
    val places = IntBuffer(capacity)

    val size get() = points.size

    fun add(point: Int, place: Int) {
        points.add(point)
        places.add(place)
    }
}

/**
 * Cleans a text; if the table says so, lower-cases it and strips its accents.
 *
 * Source: `_clean_text` and `_run_strip_accents` of google-research/bert's tokenization.py, in the
 * steps that `mobilebert_tf.text.normalization_table` describes. Every text takes linear time.
 */
internal class Normalizer(private val table: NormalizationTable) {

    /** Normalizes a text. A lone surrogate becomes U+FFFF, which is in no vocabulary. */
    fun normalize(text: String): Normalized {
        val cleaned = clean(text)
        return if (table.lowerCase) withoutAccents(lowered(cleaned)) else cleaned
    }

    private fun clean(text: String): Normalized {
        val cleaned = Normalized(text.length)
        var place = 0
        while (place < text.length) {
            val point = text.codePointAt(place)
            if (point in 0xD800..0xDFFF) {
                // Two of these must not become a pair when the characters between are removed.
                cleaned.add(UNKNOWN, place)
            } else if (table.classes(point) and REMOVED == 0) {
                cleaned.add(point, place)
            }
            place += Character.charCount(point)
        }
        return cleaned
    }

    private fun lowered(text: Normalized): Normalized {
        val lowered = Normalized(text.size)
        var followsCase = false
        for (index in 0 until text.size) {
            val point = text.points[index]
            val place = text.places[index]
            val classes = table.classes(point)
            val lower = if (classes and SPECIAL == 0) null else table.lower(point)
            when {
                lower == null -> lowered.add(point, place)
                point == SIGMA && followsCase && !meetsCase(text, index + 1) ->
                    lowered.add(FINAL_SIGMA, place)
                else -> lower.forEach { lowered.add(it, place) }
            }
            if (classes and IGNORABLE == 0) followsCase = classes and CASED != 0
        }
        return lowered
    }

    /**
     * Returns whether the next character that is not ignorable has case. A search ends at the next
     * sigma, which has case, so all searches together take linear time.
     */
    private fun meetsCase(text: Normalized, from: Int): Boolean {
        for (index in from until text.size) {
            val classes = table.classes(text.points[index])
            if (classes and IGNORABLE == 0) return classes and CASED != 0
        }
        return false
    }

    /**
     * Decomposes by NFD and drops accents. Where NFD reorders marks, their places stay in order, so
     * that marks exchange places, as in the tokenizers library that `mobilebert_tf.Tokenizer` uses.
     */
    private fun withoutAccents(text: Normalized): Normalized {
        val found = Normalized(text.size)
        val marks = Marks(table, text.places, found)
        for (index in 0 until text.size) {
            val point = text.points[index]
            when {
                point - FIRST_SYLLABLE in 0 until SYLLABLES -> {
                    val syllable = point - FIRST_SYLLABLE
                    marks.add(FIRST_LEAD + syllable / (VOWELS * TAILS), false)
                    marks.add(FIRST_VOWEL + syllable / TAILS % VOWELS, true)
                    if (syllable % TAILS > 0) marks.add(BEFORE_TAILS + syllable % TAILS, true)
                }
                table.classes(point) and SPECIAL == 0 -> marks.add(point, false)
                else -> {
                    val decomposition = table.decomposition(point)
                    if (decomposition == null) {
                        marks.add(point, false)
                    } else {
                        decomposition.forEachIndexed { at, part -> marks.add(part, at > 0) }
                    }
                }
            }
        }
        marks.flush()
        return found
    }

    /** Collects a run of marks and sorts them at its end; assigns places in the text's order. */
    private class Marks(
        private val table: NormalizationTable,
        private val places: IntBuffer,
        private val found: Normalized,
    ) {
        private val points = IntBuffer()
        private val classes = IntBuffer()
        private val isInserted = IntBuffer()
        private var nextPlace = 0

        fun add(point: Int, inserted: Boolean) {
            val combiningClass =
                if (table.classes(point) and SPECIAL == 0) 0 else table.combiningClass(point)
            if (combiningClass == 0) {
                flush()
                emit(point, inserted)
            } else {
                points.add(point)
                classes.add(combiningClass)
                isInserted.add(if (inserted) 1 else 0)
            }
        }

        fun flush() {
            if (points.size == 0) return
            for (index in order()) emit(points[index], isInserted[index] == 1)
            points.truncate(0)
            classes.truncate(0)
            isInserted.truncate(0)
        }

        private fun emit(point: Int, inserted: Boolean) {
            if (!inserted) nextPlace++
            if (table.classes(point) and ACCENT == 0) found.add(point, places[nextPlace - 1])
        }

        /** Counting sort by class: stable, and linear also for a million marks in a row. */
        private fun order(): IntArray {
            val starts = IntArray(CLASSES + 1)
            for (index in 0 until classes.size) starts[classes[index] + 1]++
            for (number in 1..CLASSES) starts[number] += starts[number - 1]
            val order = IntArray(classes.size)
            for (index in 0 until classes.size) order[starts[classes[index]]++] = index
            return order
        }
    }

    private companion object {
        const val UNKNOWN = 0xFFFF
        const val SIGMA = 0x3A3
        const val FINAL_SIGMA = 0x3C2
        const val CLASSES = 256

        // The Unicode Standard, section 3.12: Hangul syllables are numbered by their letters.
        const val FIRST_SYLLABLE = 0xAC00
        const val SYLLABLES = 11172
        const val FIRST_LEAD = 0x1100
        const val FIRST_VOWEL = 0x1161
        const val BEFORE_TAILS = 0x11A7
        const val VOWELS = 21
        const val TAILS = 28
    }
}
