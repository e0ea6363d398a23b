"""CorpusSource: a corpus on disk as the source of a run."""

import tensorflow as tf

from mobilebert_tf.data.corpus.batches import CorpusBatches
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.corpus.masking import Masking
from mobilebert_tf.training.stage import Stage


class CorpusSource:
    """A `Source` of masked batches of a corpus; see `CorpusBatches` for what they hold.

    Args:
      corpus: the corpus.
      static_shapes: pad all batches to the corpus's length, and to the largest number of
        predictions, so that all batches of a stage have one shape. Else they are only as wide as
        their longest example.
    """

    def __init__(self, corpus: CorpusDirectory, static_shapes: bool = False):
        self.name = str(corpus.directory)
        self.description = {"corpus": {"settings": corpus.settings, "counters": corpus.counters}}
        if static_shapes:  # Padding is in the means of a stage that counts it.
            self.description["static_shapes"] = True
        self._corpus = corpus
        self._static_shapes = static_shapes

    def count(self, split: str) -> int:
        return self._corpus.count(split)

    def teacher_output_names(self, stage: Stage) -> tuple[str, ...]:
        return ()

    def batches(self, split: str, stage: Stage, batch_size: int, seed: int) -> CorpusBatches:
        masking = Masking(stage.masking_rate, whole_word=stage.whole_word)
        arguments = (self._corpus, split, batch_size, masking, seed, stage.replacement_rate)
        return _StaticBatches(*arguments) if self._static_shapes else CorpusBatches(*arguments)


class _StaticBatches(CorpusBatches):
    """Batches of one shape."""

    def __init__(self, corpus, split, batch_size, masking, seed, replacement_rate):
        super().__init__(corpus, split, batch_size, masking, seed, replacement_rate)
        # A masked word may have any number of pieces.
        predictions = (corpus.length if masking.whole_word
                       else int(masking.rate * corpus.length) + 1)
        padding = corpus.vocabulary().pad_id
        # Name -> (width, value of the padding).
        self._widths = {
            "input_word_ids": (corpus.length, padding),
            "original_word_ids": (corpus.length, padding),
            "input_mask": (corpus.length, 0), "input_type_ids": (corpus.length, 0),
            "masked_positions": (predictions, 0), "masked_ids": (predictions, 0),
            "masked_weights": (predictions, 0.0)}

    def dataset(self, *arguments, **keywords):
        return super().dataset(*arguments, **keywords).map(self._padded_to_width)

    @tf.autograph.experimental.do_not_convert
    def _padded_to_width(self, batch):
        return {name: self._pad(name, values) for name, values in batch.items()}

    def _pad(self, name, values):
        if name not in self._widths:
            return values
        width, padding = self._widths[name]
        padded = tf.pad(values, [[0, 0], [0, width - tf.shape(values)[1]]],
                        constant_values=tf.constant(padding, values.dtype))
        return tf.ensure_shape(padded, (values.shape[0], width))
