package dev.mobilebert.demo.ui

/** Cuts a text into parts that are laid out one by one, so that a book scrolls as a page does. */
internal object Paragraphs {
    /** A longer paragraph is cut at a space. */
    private const val LONGEST = 2_000

    /** Returns the places of the parts, line ends left out. They are in order. */
    fun of(text: String): List<IntRange> {
        val parts = ArrayList<IntRange>()
        var start = 0
        while (start < text.length) {
            val lineEnd = text.indexOf('\n', start).let { if (it < 0) text.length else it }
            var end = lineEnd
            if (end - start > LONGEST) {
                end = text.lastIndexOf(' ', start + LONGEST).takeIf { it > start }
                    ?: (start + LONGEST)
                if (text[end].isLowSurrogate() && text[end - 1].isHighSurrogate()) end--
            }
            parts.add(start until end)
            start = if (end == lineEnd) end + 1 else end
        }
        return parts
    }
}
