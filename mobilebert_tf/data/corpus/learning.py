"""Learning a vocabulary from text files."""

from collections import Counter
from collections.abc import Sequence

from mobilebert_tf.data.corpus.excerpts import sample
from mobilebert_tf.data.corpus.text_files import find_files
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.learning import learn_vocabulary
from mobilebert_tf.text.vocabulary import Vocabulary


def learn_from_files(texts: Sequence[str], size: int = 8192, *, lower_case: bool = True,
                     megabytes: int = 100, seed: int = 1) -> tuple[Vocabulary, Counter]:
    """Learn a WordPiece vocabulary from text files; the same files give the same vocabulary.

    Args:
      texts: paths, globs and directories, as `find_files` takes them.
      size: most pieces of the vocabulary.
      lower_case: whether to lower-case the texts.
      megabytes: how much text to learn from, sampled from all files. It is held in memory.
      seed: seed for sampling the text.
    Returns:
      The vocabulary, and counters: `bytes` read and what was skipped.
    Raises:
      InputError: if there is no text, or `size` is too small for its characters.
    """
    files = find_files(texts)
    sampled, counters = sample(files, megabytes * 1_000_000, seed)
    if not sampled:
        raise InputError(f"there is no text in {len(files)} files")
    return learn_vocabulary(sampled, size, lower_case=lower_case), counters
