"""Tokenizer: text to word pieces, as Google's BERT code does it, with offsets."""

from mobilebert_tf.checks import check_several
from mobilebert_tf.text.basic_tokenizer import pipeline, prepare
from mobilebert_tf.text.vocabulary import UNK, Vocabulary

# Google's limit; the library's default is 100.
MAX_CHARACTERS_PER_WORD = 200


class Tokenizer:
    """WordPiece tokenizer that gives the tokens of google-research/bert's tokenization.py.

    It cleans the text, lower-cases it and strips accents if asked, splits it at white space,
    punctuation and Han characters, then matches the longest pieces first. Source: `FullTokenizer`
    (Devlin et al. 2019, arXiv:1810.04805). "[MASK]" in a text is a word between two brackets, not
    the special piece. A lone surrogate is an unknown character, so its word is [UNK].

    Character categories are those of the running Python, as in Google's code. The one known
    difference: in a row of combining marks that includes one newer than Unicode 12, such as the
    rare U+16FF0, NFD may order those that are not accents otherwise.

    Args:
      vocab_path: path of a vocabulary file, or a `Vocabulary`.
      lower_case: whether to lower-case and strip accents; True for the uncased models.

    Attributes: `vocabulary`, `lower_case`.

    Raises:
      InputError: from `Vocabulary.load`.
      TypeError: from every method if a text is not a str.

    Example:
      >>> special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
      >>> tokenizer = Tokenizer(Vocabulary([*special, "un", "##able", "!"]))
      >>> tokenizer.tokenize("Unable! Ünable")
      ['un', '##able', '!', 'un', '##able']
      >>> tokenizer.encode_with_offsets("Unable!")
      ([5, 6, 7], [(0, 2), (2, 6), (6, 7)])
    """

    def __init__(self, vocab_path, lower_case=True):
        from tokenizers import models

        if isinstance(vocab_path, Vocabulary):
            self.vocabulary = vocab_path
        else:
            self.vocabulary = Vocabulary.load(vocab_path)
        self.lower_case = lower_case
        self._known_characters = set("".join(self.vocabulary.pieces))
        model = models.WordPiece(
            vocab=self.vocabulary.ids, unk_token=UNK,
            max_input_chars_per_word=MAX_CHARACTERS_PER_WORD)
        self._pipeline = pipeline(model, lower_case)

    def tokenize(self, text):
        """Return the pieces of a text, list of str."""
        return self._encode(text).tokens

    def encode(self, text):
        """Return the ids of a text's pieces, list of int, without [CLS] and [SEP]."""
        return self._encode(text).ids

    def encode_with_offsets(self, text):
        """Return the ids and, for each, its (start, end) in characters of the original text.

        The offsets of a piece include removed characters inside it. A character that becomes
        several pieces (a Hangul syllable split into letters) belongs to each of them. Combining
        marks that NFD reorders swap their offsets.
        """
        encoding = self._encode(text)
        return encoding.ids, encoding.offsets

    def split_words(self, text):
        """Return the words of a text, and the id, the word and the offsets of each of its pieces.

        Words are those of Google's BasicTokenizer. With `lower_case`, they are lower-cased and
        have no accents, like the pieces. Every word has at least one piece. Offsets are those of
        `encode_with_offsets`.

        Example:
          >>> special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
          >>> Tokenizer(Vocabulary([*special, "un", "##able", "!"])).split_words("Unable!")
          (['unable', '!'], [5, 6, 7], [0, 0, 1], [(0, 2), (2, 6), (6, 7)])
        """
        prepared = self._prepare(text)
        normal = self._pipeline.normalizer.normalize_str(prepared)
        words = [word for word, _ in self._pipeline.pre_tokenizer.pre_tokenize_str(normal)]
        encoding = self._pipeline.encode(prepared)
        return words, encoding.ids, encoding.word_ids, encoding.offsets

    def encode_texts(self, texts):
        """Return the ids of each text, list of lists of int; uses all processors.

        Raises:
          InputError: for one text that is not in a list.
        """
        check_several(texts=texts)
        prepared = [self._prepare(text) for text in texts]
        return [encoding.ids for encoding in self._pipeline.encode_batch_fast(prepared)]

    def _prepare(self, text):
        return prepare(text, self.lower_case, self._known_characters)

    def _encode(self, text):
        return self._pipeline.encode(self._prepare(text))

    def __reduce__(self):
        # A worker process builds its own, from less than the library's JSON and with all checks.
        return Tokenizer, (self.vocabulary, self.lower_case)
