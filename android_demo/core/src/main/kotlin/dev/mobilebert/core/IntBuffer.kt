package dev.mobilebert.core

/** A growing list of numbers that are not boxed. */
internal class IntBuffer(capacity: Int = 16) {
    private var values = IntArray(capacity)

    var size = 0
        private set

    operator fun get(index: Int): Int = values[index]

    fun add(value: Int) {
        if (size == values.size) values = values.copyOf(size + size / 2 + 8)
        values[size++] = value
    }

    fun truncate(size: Int) {
        this.size = size
    }

    fun toIntArray(): IntArray = values.copyOf(size)
}
