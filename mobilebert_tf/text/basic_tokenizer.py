"""Google's BasicTokenizer, composed from parts of the `tokenizers` library.

The library's own BertNormalizer and BertPreTokenizer differ from tokenization.py: they also remove
private and unassigned characters, start a range of Han characters at U+2B920 instead of U+2B820,
do not know the final sigma, and take punctuation and accents from old Unicode tables.
"""

import unicodedata

from mobilebert_tf.text.characters import is_han, is_removed, regex_classes

# A noncharacter: never assigned, untouched by every rule, in no vocabulary.
_UNKNOWN_CHARACTER = "\uffff"


def pipeline(model, lower_case):
    """Return a `tokenizers.Tokenizer` with Google's rules around `model`; no special tokens.

    A text must go through `prepare` first.
    """
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers

    classes = regex_classes()
    steps = [normalizers.Replace(Regex(classes["removed"]), "")]
    if lower_case:
        steps += [
            normalizers.Lowercase(),
            # The one decomposition of Unicode 13 that the library's older tables lack.
            normalizers.Replace("\U00011938", "\U00011935\U00011930"),
            normalizers.NFD(),
            normalizers.Replace(Regex(classes["accent"]), ""),
        ]
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        # Unicode's White_Space, which equals Google's without the control characters.
        pre_tokenizers.WhitespaceSplit(),
        # Han characters are isolated after NFD here and before it in Google's code. The result is
        # the same: they decompose to Han characters, and nothing else does.
        pre_tokenizers.Split(Regex(classes["isolated"]), "isolated"),
    ])
    return tokenizer


def orders(mark):
    """Return whether `pipeline`'s NFD sorts a mark; its tables do not know newer ones.

    Args:
      mark: a character that Python takes for a combining one.
    """
    from tokenizers import normalizers

    # Classes 216 and 9: the second goes first if the character between them is a mark.
    before, after = "\U0001d165", "\u1b44"
    sorted_marks = normalizers.NFD().normalize_str(before + mark + after)
    return sorted_marks.index(after) < sorted_marks.index(before)


def prepare(text, lower_case, known_characters):
    """Replace, one for one, the characters that the library would treat unlike Python.

    Args:
      text: str, the original text.
      lower_case: bool, as in `pipeline`.
      known_characters: set of str, the characters of the vocabulary.

    Returns:
      str of the same length: offsets into it are offsets into `text`.

    Raises:
      TypeError: if `text` is not a str.
    """
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str. Received: {type(text).__name__}")
    if text.isascii():
        return text
    # Unassigned characters may be letters in the library's newer tables, and it refuses lone
    # surrogates. No piece contains either, so another unknown character can replace them. Those in
    # the Han ranges stay, because they are words of their own.
    unknown = [character for character in set(text)
               if unicodedata.category(character) in ("Cn", "Cs")
               and character not in known_characters and not is_han(character)]
    if unknown:
        text = text.translate(dict.fromkeys(map(ord, unknown), _UNKNOWN_CHARACTER))
    if lower_case and "Σ" in text:
        text = _with_final_sigmas(text)
    return text


def _with_final_sigmas(text):
    # The library lower-cases character by character. Python looks at the neighbours of a sigma, in
    # Google's code after controls are removed. "I" replaces "İ", the only character whose lower
    # case has two characters, to keep positions.
    kept = [position for position, character in enumerate(text) if not is_removed(character)]
    lowered = "".join(text[position] for position in kept).replace("İ", "I").lower()
    characters = list(text)
    for position, character in zip(kept, lowered, strict=True):
        if text[position] == "Σ":
            characters[position] = character
    return "".join(characters)
