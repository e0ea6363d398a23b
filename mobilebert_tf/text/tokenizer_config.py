"""The tokenizer of a Hugging Face directory: settings followed or refused, files written."""

import json
from pathlib import Path

import msgspec

from mobilebert_tf import records
from mobilebert_tf.errors import InputError
from mobilebert_tf.files import write_atomically
from mobilebert_tf.text.tokenizer import MAX_CHARACTERS_PER_WORD
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, UNK, Vocabulary

NAME = "tokenizer_config.json"
_VOCABULARY, _TOKENIZER = "vocab.txt", "tokenizer.json"


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


def save(directory: Path, vocabulary: Vocabulary, lower_case: bool, positions: int) -> None:
    """Write vocab.txt, tokenizer.json and tokenizer_config.json, which AutoTokenizer reads.

    tokenizer.json has the `tokenizers` library's own rules, as BertTokenizerFast saves them. On
    rare characters they differ from Google's, which `Tokenizer` follows; see `basic_tokenizer`.

    Args:
      directory: of the model's config.json.
      vocabulary: of the model.
      lower_case: whether its texts are lower-cased.
      positions: the most tokens that the model takes.
    Raises:
      InputError: if the place cannot be written.
    """
    vocabulary.save(directory / _VOCABULARY)
    write_atomically(directory / _TOKENIZER,
                     _library_tokenizer(vocabulary, lower_case).to_str(pretty=True).encode())
    pieces = {f"{piece.strip('[]').lower()}_token": piece for piece in SPECIAL_PIECES}
    write_atomically(directory / NAME, json.dumps({
        "tokenizer_class": "BertTokenizer", "do_lower_case": lower_case, "strip_accents": None,
        "tokenize_chinese_chars": True, "model_max_length": positions, **pieces,
    }, indent=2).encode() + b"\n")


def remove(directory: Path) -> None:
    """Remove the files that `save` wrote for another model."""
    for name in (_VOCABULARY, _TOKENIZER, NAME):
        (directory / name).unlink(missing_ok=True)


def _library_tokenizer(vocabulary, lower_case):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece(
        vocab=vocabulary.ids, unk_token=UNK, max_input_chars_per_word=MAX_CHARACTERS_PER_WORD))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lower_case)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(piece, vocabulary.ids[piece]) for piece in ("[CLS]", "[SEP]")])
    tokenizer.decoder = decoders.WordPiece()
    tokenizer.add_special_tokens(list(SPECIAL_PIECES))
    return tokenizer


def _json(value):
    return str(value).lower()
