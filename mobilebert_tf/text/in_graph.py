"""InGraphTokenizer: text to model inputs inside a TensorFlow graph."""

import tensorflow as tf
import tensorflow_text

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.characters import regex_classes
from mobilebert_tf.text.packing import check_length
from mobilebert_tf.text.tokenizer import MAX_CHARACTERS_PER_WORD
from mobilebert_tf.text.vocabulary import UNK

# UTF-8 takes at most four bytes for a character.
_MAX_BYTES_PER_WORD = 4 * MAX_CHARACTERS_PER_WORD
# FastWordpieceTokenizer's own marks: it fails at some of the pieces that hold one.
_RESERVED = frozenset("\0\x11")


class InGraphTokenizer(tf.Module):
    """`Tokenizer` and `encode_batch` as TensorFlow operations, for tf.data and SavedModel.

    The same rules and character classes, in core string operations around
    `tensorflow_text.FastWordpieceTokenizer`. The package's BertTokenizer and FastBertTokenizer
    differ from Google's code on 46 of 4,000 Wikipedia paragraphs: they also fold compatibility
    characters ("½" becomes "1⁄2", "ß" "ss", "″" two primes) and split words at control characters.

    Differences from `Tokenizer`: bytes that are not UTF-8 are dropped (a str cannot hold them).
    Lower-casing, the final sigma and NFD follow the Unicode tables of TensorFlow, not Python's.
    TensorFlow 2.21 does not lower-case the 40 capitals of Unicode 14, takes each of its 112 accents
    between a letter and a sigma for the end of a word, and decomposes 20 characters of Unicode 16.

    Args:
      tokenizer: `Tokenizer`; its vocabulary and `lower_case` are used.
      length: int, columns of the outputs.

    Inputs:  `texts`: string `(batch,)`, UTF-8. `second_texts`: the same; optional.
    Outputs: dict of `input_word_ids`, `input_mask`, `input_type_ids`: int32 `(batch, length)`, cut
      and padded as `pack` does.

    Raises:
      InputError: if `length` is too small, at construction or, with second texts, in the call; if a
        piece of the vocabulary holds U+0000 or U+0011.
    """

    def __init__(self, tokenizer, *, length):
        super().__init__(name="in_graph_tokenizer")
        check_length(length, has_pair=False)
        self.vocabulary = tokenizer.vocabulary
        self.lower_case = tokenizer.lower_case
        self.length = length
        for piece in self.vocabulary.pieces:
            if not _RESERVED.isdisjoint(piece):
                raise InputError(f"a graph cannot hold the piece {piece!r}, for its control "
                                 "character: no text can match it, so write another piece, such "
                                 "as [unused0], in its place")
        self._word_pieces = tensorflow_text.FastWordpieceTokenizer(
            list(self.vocabulary.pieces), unknown_token=UNK, no_pretokenization=True,
            max_bytes_per_word=_MAX_BYTES_PER_WORD)

    def tokenize(self, texts):
        """Return the ids of each text, ragged int32 `(batch, pieces)`, without [CLS] and [SEP]."""
        words = self._words(texts)
        too_long = tf.strings.length(words.flat_values, "UTF8_CHAR") > MAX_CHARACTERS_PER_WORD
        # A noncharacter, which is in no vocabulary, becomes [UNK], as the long word should.
        words = words.with_flat_values(tf.where(too_long, "\uffff", words.flat_values))
        return tf.cast(self._word_pieces.tokenize(words).merge_dims(1, 2), tf.int32)

    def __call__(self, texts, second_texts=None):
        check_length(self.length, second_texts is not None)
        if second_texts is None:
            segments = [self.tokenize(texts)[:, :self.length - 2]]
        else:
            trimmer = tensorflow_text.ShrinkLongestTrimmer(self.length - 3)
            # The trimmer gives an odd place to the later segment, Google's code to the first.
            segments = trimmer.trim([self.tokenize(second_texts), self.tokenize(texts)])[::-1]
        ids, types = tensorflow_text.combine_segments(
            segments, self.vocabulary.cls_id, self.vocabulary.sep_id)
        shape = (None, self.length)
        return {
            "input_word_ids": ids.to_tensor(self.vocabulary.pad_id, shape=shape),
            "input_mask": tf.ones_like(ids).to_tensor(shape=shape),
            "input_type_ids": types.to_tensor(shape=shape),
        }

    def _words(self, texts):
        classes = regex_classes()
        # Operations below would replace bad bytes by U+FFFD or stop at them.
        texts = tf.strings.unicode_transcode(texts, "UTF-8", "UTF-8", errors="ignore")
        texts = tf.strings.regex_replace(texts, classes["removed"], "")
        if self.lower_case:
            # ICU lower-cases by the process's locale; in a Turkish one "I" would become "ı".
            texts = tf.strings.regex_replace(texts, "[Iİ]", "i")
            texts = tf.strings.lower(texts, encoding="utf-8")
            texts = tensorflow_text.normalize_utf8(texts, "NFD")
            texts = tf.strings.regex_replace(texts, classes["accent"], "")
        texts = tf.strings.regex_replace(texts, classes["whitespace"], " ")
        texts = tf.strings.regex_replace(texts, f"({classes['isolated']})", r" \1 ")
        return tf.strings.split(texts)
