package dev.mobilebert.core

import java.io.InputStream

/**
 * The facts of Unicode that the tokenizer needs. They come from the model's file, because versions
 * of Unicode differ between devices.
 *
 * Source of the format: `mobilebert_tf.text.normalization_table`, which writes and describes it.
 */
class NormalizationTable private constructor() {
    /** Whether texts are lower-cased and lose their accents. */
    var lowerCase = false
        private set

    // A bit for each class that a character is in; a page is null if all of its bits are 0.
    private val pages = arrayOfNulls<ByteArray>((Character.MAX_CODE_POINT shr PAGE_BITS) + 1)
    private val combiningClasses = HashMap<Int, Int>()
    private val lowerCases = HashMap<Int, IntArray>()
    private val decompositions = HashMap<Int, IntArray>()

    // The code points that the lines so far have set; one that is set twice counts twice.
    private var total = 0

    internal fun classes(point: Int): Int =
        pages[point shr PAGE_BITS]?.get(point and PAGE_MASK)?.toInt() ?: 0

    /** The canonical combining class; 0 for a character that is never reordered. */
    internal fun combiningClass(point: Int): Int = combiningClasses[point] ?: 0

    /** The lower case, or null if it is the character itself. */
    internal fun lower(point: Int): IntArray? = lowerCases[point]

    /** The full canonical decomposition, or null if it is the character itself. */
    internal fun decomposition(point: Int): IntArray? = decompositions[point]

    private fun add(name: String, first: Int, rest: IntArray) {
        val last = if (rest.isEmpty()) first else rest[0]
        val values = rest.drop(1)
        require(first <= last)
        total += last - first + 1
        require(total <= MOST_SET)
        val mark = MARKS[name]
        if (mark != null) {
            require(values.isEmpty())
            return mark(first, last, mark)
        }
        require(values.isNotEmpty() && (first == last || values.size == 1))
        mark(first, last, SPECIAL)
        for (point in first..last) {
            when (name) {
                "class" -> combiningClasses[point] = values.single().also { require(it in 1..254) }
                // A range gives the lower case of its first character; the others count on from it.
                "lower" -> lowerCases[point] = IntArray(values.size) {
                    (values[it] + point - first).also { lower -> require(lower in POINTS) }
                }
                "nfd" -> decompositions[point] = values.toIntArray()
                else -> throw IllegalArgumentException(name)
            }
        }
    }

    private fun mark(first: Int, last: Int, mark: Int) {
        for (point in first..last) {
            val number = point shr PAGE_BITS
            val page = pages[number] ?: ByteArray(1 shl PAGE_BITS).also { pages[number] = it }
            val place = point and PAGE_MASK
            page[place] = (page[place].toInt() or mark).toByte()
        }
    }

    companion object {
        internal const val REMOVED = 1
        internal const val WHITESPACE = 2
        internal const val ISOLATED = 4
        internal const val ACCENT = 8
        internal const val CASED = 16
        internal const val IGNORABLE = 32

        /** The character is in a map: it has a lower case, a decomposition or a combining class. */
        internal const val SPECIAL = 64

        private const val PAGE_BITS = 8
        private const val PAGE_MASK = (1 shl PAGE_BITS) - 1
        private val POINTS = Character.MIN_CODE_POINT..Character.MAX_CODE_POINT

        /** A file that repeats wide ranges would keep the reader busy for hours. */
        private const val MOST_SET = 4 * (Character.MAX_CODE_POINT + 1)

        private const val FIRST_LINE = "mobilebert-normalization 1"
        private val MARKS = mapOf(
            "removed" to REMOVED, "whitespace" to WHITESPACE, "isolated" to ISOLATED,
            "accent" to ACCENT, "cased" to CASED, "ignorable" to IGNORABLE,
        )

        /**
         * Reads the table. Does not close the stream.
         *
         * @throws ModelException if it is not a complete table of the version that is known here.
         */
        fun read(stream: InputStream, name: String = "normalization.txt"): NormalizationTable {
            val lines = readUtf8(stream, name).removeSuffix("\n").split('\n')
            if (lines[0] != FIRST_LINE) {
                throw ModelException("$name is not a table that this app knows: it should start " +
                    "with \"$FIRST_LINE\".", Problem.UnusableFile(name))
            }
            if (lines.last() != "end") {
                throw ModelException("$name is cut: its end is missing.",
                    Problem.UnusableFile(name))
            }
            val table = NormalizationTable()
            for (number in 1 until lines.size - 1) {
                try {
                    table.readLine(number, lines[number].split(' '))
                } catch (error: IllegalArgumentException) {
                    throw ModelException("$name, line ${number + 1} is not understood: " +
                        "\"${lines[number]}\".", Problem.UnusableFile(name), error)
                }
            }
            return table
        }

        private fun NormalizationTable.readLine(number: Int, fields: List<String>) {
            if (number == 1) {
                require(fields.size == 2 && fields[0] == "lower_case")
                lowerCase = fields[1].toBooleanStrict()
            } else {
                val numbers = IntArray(fields.size - 1) { fields[it + 1].toInt(16) }
                require(numbers.isNotEmpty() && numbers.all { it in POINTS })
                add(fields[0], numbers[0], numbers.copyOfRange(1, numbers.size))
            }
        }
    }
}
