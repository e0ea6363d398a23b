"""Windows: a question with each part of its context that a model reads at once."""

import bisect
import dataclasses
import functools
import re

import numpy as np

from mobilebert_tf.data.datasets.question import Question
from mobilebert_tf.data.features.question_settings import DEFAULTS, QuestionSettings
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.tokenizer import Tokenizer

# run_squad.py splits a context at these characters. Other white space, such as U+00A0, is inside
# its words, though it separates the tokenizer's.
_WORD = re.compile("[^ \t\r\n\u202f]+")


@dataclasses.dataclass(frozen=True)
class Window:
    """[CLS] question [SEP] part of the context [SEP], without padding.

    Args:
      ids: token ids.
      first_length: tokens of the first segment, [CLS] question [SEP].
      offsets: for each token of the context, its (start, end) in characters of the context.
      words: for each token of the context, the index of its word in the context. Spaces, tabs, line
        ends and U+202F separate words.
      is_max_context: for each token of the context, whether no other window shows more context on
        both sides of it. A predicted answer may start only at such a token.
      start, end: positions in `ids` of the first answer's first and last token; 0, which is [CLS],
        if the answer is not wholly in the window or there is none.
    """

    ids: tuple[int, ...]
    first_length: int
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int, ...]
    is_max_context: tuple[bool, ...]
    start: int
    end: int


@dataclasses.dataclass(frozen=True)
class _Context:
    """A context's tokens, and the character at which each of its words starts."""

    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    words: tuple[int, ...]
    word_starts: tuple[int, ...]


def windows(question: Question, tokenizer: Tokenizer, *, length: int = 384,
            settings: QuestionSettings = DEFAULTS) -> list[Window]:
    """Cut a question's context into windows, from its start to its end.

    A context without tokens has no window.

    Source: `convert_examples_to_features` in google-research/bert's run_squad.py, window for
    window and token for token. Two differences: an answer whose words have no tokens, such as a
    zero-width space, counts as none; and offsets refer to the original characters of the context.

    Args:
      question: the question with its context, and its answers if known.
      tokenizer: the model's.
      length: most tokens of a window.
      settings: `max_question_length` and `stride` are used.
    Raises:
      InputError: if the question leaves no room for the context.
    """
    vocabulary = tokenizer.vocabulary
    asked = tokenizer.encode(question.question)[:settings.max_question_length]
    room = length - len(asked) - 3
    if room < 1:
        # A question that is not from a file has no id.
        named = f"question {question.id!r}" if question.id else "the question"
        raise InputError(f"a length of {length} leaves no room for the context of {named}: [CLS], "
                         f"the question's {len(asked)} tokens and two [SEP] take "
                         f"{len(asked) + 3}; use a length of at least {len(asked) + 4}")
    context = _tokenized(question.context, tokenizer)
    first, last = _answer_tokens(question, context, tokenizer)
    asked = (vocabulary.cls_id, *asked, vocabulary.sep_id)
    parts = _parts(len(context.ids), room, settings.stride)
    found = []
    for (begin, end), is_max in zip(parts, _max_context(parts), strict=True):
        has_answer = begin <= first <= last < end
        shift = len(asked) - begin
        found.append(Window(
            ids=(*asked, *context.ids[begin:end], vocabulary.sep_id), first_length=len(asked),
            offsets=context.offsets[begin:end], words=context.words[begin:end],
            is_max_context=is_max, start=first + shift if has_answer else 0,
            end=last + shift if has_answer else 0))
    return found


# Questions on one context follow each other in the files.
@functools.lru_cache(maxsize=1)
def _tokenized(context, tokenizer):
    """Tokenize a context and find each token's word.

    run_squad.py tokenizes word by word. Tokenizing the whole context gives the same: the tokenizer
    also splits at the characters that separate words, and none of them affects its neighbours
    (combining marks, final sigmas).
    """
    ids, offsets = tokenizer.encode_with_offsets(context)
    word_starts = tuple(match.start() for match in _WORD.finditer(context))
    words = np.searchsorted(word_starts, [start for start, _ in offsets], side="right") - 1
    return _Context(tuple(ids), tuple(offsets), tuple(words.tolist()), word_starts)


def _answer_tokens(question, context, tokenizer):
    """Return the first answer's (first, last) token in the context; last < first for none."""
    if question.is_impossible or not question.answers:
        return 0, -1
    answer = question.answers[0]
    # White space belongs to the word before it; before the first word the index is -1.
    first_word, last_word = (bisect.bisect_right(context.word_starts, place) - 1
                             for place in (answer.start, answer.start + len(answer.text) - 1))
    first = bisect.bisect_left(context.words, first_word)
    last = bisect.bisect_left(context.words, last_word + 1) - 1
    # Words may hold more than the answer, such as "1895" in "(1895-1943).". If the answer's own
    # tokens are among theirs, these are taken; if not ("Japan" in "Japanese"), the whole word.
    ids = tuple(tokenizer.encode(answer.text))
    for begin in range(first, last + 2 - len(ids)):
        if ids and context.ids[begin:begin + len(ids)] == ids:
            return begin, begin + len(ids) - 1
    return first, last


def _parts(count, room, stride):
    """Return (begin, end) of the parts of `count` tokens; all but the last have `room` tokens."""
    parts = []
    for begin in range(0, count, min(room, stride)):
        parts.append((begin, min(begin + room, count)))
        if begin + room >= count:
            break
    return parts


def _max_context(parts):
    """For each part, tell whether each token has most context there; the first part wins ties."""
    best = np.zeros(parts[-1][1] if parts else 0)
    owner = np.zeros(len(best), np.int64)
    for number, (begin, end) in enumerate(parts):
        place = np.arange(end - begin)
        # The smaller of both sides; the longer part wins ties.
        score = np.minimum(place, place[::-1]) + 0.01 * (end - begin)
        is_better = score > best[begin:end]
        best[begin:end][is_better] = score[is_better]
        owner[begin:end][is_better] = number
    return [tuple((owner[begin:end] == number).tolist())
            for number, (begin, end) in enumerate(parts)]
