package dev.mobilebert.core

/**
 * Token ids that a model reads at once, special ones included, without padding.
 *
 * @param firstLength how many of them are of the first segment, `[CLS] a [SEP]`.
 */
open class ModelInput(val ids: IntArray, val firstLength: Int) {

    /** The tensors of a model's signature of [length] tokens, by name. */
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
         * `[CLS] a [SEP]`, or `[CLS] a [SEP] b [SEP]`, cut to [length] tokens.
         *
         * Source: `mobilebert_tf.text.packing.join`: a single text loses its end; of a pair the
         * longer loses its end, the second where they are equally long.
         */
        fun join(vocabulary: Vocabulary, a: IntArray, b: IntArray?, length: Int): ModelInput {
            if (b == null) {
                val ids = intArrayOf(vocabulary.clsId) + a.copyOf(minOf(a.size, length - 2)) +
                    vocabulary.sepId
                return ModelInput(ids, ids.size)
            }
            val room = length - 3
            // Each may have half, the first the odd place, and what the other leaves.
            val sizeA = minOf(a.size, maxOf(room - room / 2, room - b.size))
            val sizeB = minOf(b.size, room - sizeA)
            val first = intArrayOf(vocabulary.clsId) + a.copyOf(sizeA) + vocabulary.sepId
            return ModelInput(first + b.copyOf(sizeB) + vocabulary.sepId, first.size)
        }
    }
}
