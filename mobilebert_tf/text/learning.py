"""Learning a WordPiece vocabulary from texts."""

import collections
import re

from mobilebert_tf.errors import InputError
from mobilebert_tf.text.basic_tokenizer import pipeline, prepare
from mobilebert_tf.text.characters import regex_classes
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, UNK, Vocabulary

# Rarer characters stay unknown, so that a few lines in another script cannot fill the vocabulary.
_MAX_CHARACTERS = 1000


def learn_vocabulary(texts, size, lower_case=True):
    """Learn a WordPiece vocabulary from texts, the same one every time.

    The five special pieces come first, [PAD] = 0. Then come the commonest 1,000 characters of the
    texts, each as the start of a word and, unless it is always a word of its own, inside a word.
    Then come pieces in the order in which the `tokenizers` library merges them, most frequent pair
    first. BERT's own learner was not published.

    Args:
      texts: iterable of str.
      size: int, the most pieces; there are fewer when no pair occurs twice any more.
      lower_case: bool, as in the `Tokenizer` that will use the vocabulary.

    Returns:
      Vocabulary.

    Raises:
      InputError: if there is no text, or `size` cannot hold the special pieces and characters.

    Example:
      >>> learn_vocabulary(["low lower lowest"] * 2, 40).pieces[5:9]
      ('e', 'l', 'o', 'r')
    """
    from tokenizers import models, trainers

    tokenizer = pipeline(models.WordPiece(unk_token=UNK), lower_case)
    prepared = [prepare(text, lower_case, frozenset()) for text in texts]
    alphabet = _alphabet(map(tokenizer.normalizer.normalize_str, prepared))
    alone = re.compile(_python_class(regex_classes()["isolated"]))
    inside = ["##" + character for character in alphabet if not alone.match(character)]
    first_pieces = [*SPECIAL_PIECES, *alphabet, *inside]
    if not alphabet:
        raise InputError("there is no text to learn a vocabulary from")
    if size < len(first_pieces):
        raise InputError(f"a vocabulary of {size} pieces is too small: the special pieces and the "
                         f"characters of these texts are {len(first_pieces)}")
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, min_frequency=2, show_progress=False,
        # Listing them fixes the order. Otherwise the library would number the pieces inside words,
        # and break ties between pairs, in the order of a randomly seeded hash table.
        special_tokens=first_pieces,
        initial_alphabet=alphabet, limit_alphabet=len(alphabet))
    tokenizer.train_from_iterator(prepared, trainer)
    ids = tokenizer.get_vocab(with_added_tokens=False)
    return Vocabulary(sorted(ids, key=ids.get))


def _alphabet(texts):
    counts = collections.Counter()
    for text in texts:
        counts.update(text)
    characters = [character for character in counts
                  if not character.isspace() and character != "\uffff"]
    characters.sort(key=lambda character: (-counts[character], character))
    return sorted(characters[:_MAX_CHARACTERS])


def _python_class(regex_class):
    # Python's `re` shares all of the syntax with the other two engines but `\x{...}`.
    return re.sub(r"\\x\{([0-9A-F]+)\}", lambda match: f"\\U{int(match[1], 16):08x}", regex_class)
