package dev.mobilebert.core

/**
 * The token ids of one run, with special ones and without padding.
 *
 * @param firstLength the number of ids in the first segment, `[CLS] a [SEP]`.
 */
open class ModelInput(val ids: IntArray, val firstLength: Int) {

    /** Returns the input tensors, by name, for the signature of [length] tokens. */
    fun tensors(length: Int, padId: Int): Map<String, IntArray> {
        val second = firstLength until ids.size
        return mapOf(
            ModelSpec.IDS to IntArray(length) { if (it < ids.size) ids[it] else padId },
            ModelSpec.MASK to IntArray(length) { if (it < ids.size) 1 else 0 },
            ModelSpec.SEGMENT_IDS to IntArray(length) { if (it in second) 1 else 0 },
        )
    }

    companion object {
        /**
         * Makes `[CLS] a [SEP]`, or `[CLS] a [SEP] b [SEP]`, cut to [length] tokens.
         *
         * Source: `mobilebert_tf.text.packing.join`. A single text loses its end. Of two texts, the
         * longer one loses its last token until both fit; of equally long ones, the second.
         */
        fun join(vocabulary: Vocabulary, a: IntArray, b: IntArray?, length: Int): ModelInput {
            if (b == null) {
                val ids = intArrayOf(vocabulary.clsId) + a.copyOf(minOf(a.size, length - 2)) +
                    vocabulary.sepId
                return ModelInput(ids, ids.size)
            }
            val room = length - 3
            // Each text may fill half of the room, and what the other leaves; an odd place is a's.
            val sizeA = minOf(a.size, maxOf(room - room / 2, room - b.size))
            val sizeB = minOf(b.size, room - sizeA)
            val first = intArrayOf(vocabulary.clsId) + a.copyOf(sizeA) + vocabulary.sepId
            return ModelInput(first + b.copyOf(sizeB) + vocabulary.sepId, first.size)
        }
    }
}
