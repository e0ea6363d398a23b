"""The tokenizer settings of a Hugging Face directory: followed, or refused by name."""

from pathlib import Path

import msgspec

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES

NAME = "tokenizer_config.json"


class _Config(msgspec.Struct):
    do_lower_case: bool = True
    strip_accents: bool | None = None
    tokenize_chinese_chars: bool = True
    do_basic_tokenize: bool = True
    never_split: list[str] | None = None


def lower_case(directory: Path) -> bool:
    """Return whether the model of a Hugging Face directory reads lower-cased texts.

    Source: transformers' BertTokenizer, whose other settings change the tokens too.

    Raises:
      InputError: for a setting that `Tokenizer` does not follow, with its name. The model would
        silently answer from other tokens than it was trained on.
    """
    path = directory / NAME
    if not path.exists():
        return True
    config = records.read(path, _Config)
    kept = sorted(set(config.never_split or ()) - set(SPECIAL_PIECES))
    for refused, setting, rule in (
            (config.strip_accents not in (None, config.do_lower_case),
             f"strip_accents {_json(config.strip_accents)} with do_lower_case "
             f"{_json(config.do_lower_case)}", "accents go where the text is lower-cased"),
            (not config.tokenize_chinese_chars, "tokenize_chinese_chars false",
             "each Han character is a word"),
            (not config.do_basic_tokenize, "do_basic_tokenize false",
             "punctuation is split from words"),
            (kept, f"never_split {', '.join(kept)}", "every word is split")):
        if refused:
            raise InputError(f"{path} has {setting}, which is not supported: here {rule}; the "
                             "model would read other tokens than it was trained on")
    return config.do_lower_case


def _json(value):
    return str(value).lower()
