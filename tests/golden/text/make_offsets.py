"""Writes offsets.json and the normalization tables: what `Tokenizer` gives to UTF-16 clients.

    python tests/golden/text/make_offsets.py

The texts are those of google_tokenization.json, whose ids are Google's own, and some that show
where pieces are. Places are in UTF-16 units, as Java and JavaScript count.
"""

import itertools
import json
import pathlib
import unicodedata

from mobilebert_tf import Tokenizer
from mobilebert_tf.text.normalization_table import normalization_table

HERE = pathlib.Path(__file__).parent
TEXTS = [
    "The harbour 😀 the harbour", "𝒜the 𐐀𐐀 the", "a\u0301the\u0301 the",
    "t\u00adh\u200be 中the中 the",
    "\ud800the \udfff the", "the \ud83d\u00ad\ude00 the", "👩\u200d👩\u200d👧the 🏽 ❤\ufe0f.",
    "שלום, the עולם", "\u202ethe\u202c (the)", "the\x00the \x00 the", "İthe İ", "가the 각,",
    "ΟΔΟΣ\u0345 ΟΔΟΣ😀 Σ.Σ", "\U0001d160\u1b44\u0301the\u302e", "é" * 201 + " the",
]


def utf16_offsets(text, offsets):
    """Offsets in characters as (starts, ends) in UTF-16 units."""
    places = [0, *itertools.accumulate(1 + (character > "\uffff") for character in text)]
    return [places[start] for start, _ in offsets], [places[end] for _, end in offsets]


def case(tokenizer, text):
    """A text with its ids and places, as the clients' tests read it."""
    ids, offsets = tokenizer.encode_with_offsets(text)
    starts, ends = utf16_offsets(text, offsets)
    return {"text": text, "ids": ids, "starts": starts, "ends": ends}


def main():
    golden = json.loads((HERE / "google_tokenization.json").read_text(encoding="utf-8"))["cases"]
    lines = []
    for lower_case in (True, False):
        name = f"normalization_{'lower_case' if lower_case else 'cased'}.txt"
        (HERE / name).write_text(normalization_table(lower_case))
        tokenizer = Tokenizer(HERE / "vocab.txt", lower_case)
        texts = [entry["text"] for entry in golden if entry["lower_case"] == lower_case] + TEXTS
        lines += [json.dumps({"lower_case": lower_case, **case(tokenizer, text)}) for text in texts]
    (HERE / "offsets.json").write_text(
        f'{{"made_by": "make_offsets.py", "unicode": "{unicodedata.unidata_version}", "cases": [\n'
        + ",\n".join(lines) + "\n]}\n")


if __name__ == "__main__":
    main()
