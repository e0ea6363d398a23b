"""Writes vocab.txt and google_tokenization.json: what Google's own tokenization.py gives.

    pip download --no-deps bert-tensorflow==1.0.4 && unzip bert_tensorflow-1.0.4-*.whl
    python tests/golden/text/make_google_tokenization.py bert/tokenization.py

Needs six and absl-py. TensorFlow, which tokenization.py imports to open the vocabulary, is
replaced by Python's `open`.
"""

import hashlib
import importlib.util
import json
import pathlib
import platform
import random
import sys
import types
import unicodedata

import tokenizers

from mobilebert_tf.text.learning import learn_vocabulary

HERE = pathlib.Path(__file__).parent
SEED = 20
VOCABULARY_SIZE = 1100

SENTENCES = """
The ferry leaves the harbour at seven, and nobody on the quay expects it to come back before dark.
"Bring the lantern," she said; "the cellar stairs are steeper than they look."
Why did the engineers rebuild the bridge twice? Because the river moved, twice.
Our measurements agree to within 0.5% (see table 3), except for the last two: 12.75 and 1,024.
He'd never have believed it, if he hadn't seen the heron standing on the roof himself.
Unbelievable! The bakers' cooperative sold 3,600 loaves on the 29th of February.
Write to harbour-master@example.org, or call +44 20 7946 0000 between 9:00 and 17:30.
The recipe asks for two eggs, a pinch of salt, and patience; the patience is the hard part.
Rainwater runs from the gutters into the barrels, from the barrels into the garden.
The smallest model that still answers questions well is the one worth putting on a telephone.
A train passed, then another, then a very long silence in which the whole village listened.
She translated the letters, retranslated them, and found the translations translating her.
Café, naïve, résumé, façade, Ångström, jalapeño, Zürich and smörgåsbord keep their accents here.
El niño comió una manzana; l'été dernier, la forêt brûlait; Straße, Mädchen, über, Größe.
Ο Οδυσσέας γύρισε στην Ιθάκη. ΟΔΟΣ ΣΟΦΟΣ ΣΑΣ. Москва не сразу строилась, говорят люди.
我们明天去北京看书。今日は天気がいい。東京タワーは高い。 한국어 문장입니다.
$5 + £3 = €9? #yes & @no <tag> [MASK] [CLS] {x_1} ^caret `tick` ~tilde | back\\slash / * 100%
""".strip().splitlines()

SINGLE_CASES = [
    "", " ", "\t\n\r ", "a", "[PAD] [UNK] [CLS] [SEP] [MASK]", "##able ## #", "un##able",
    "İstanbul ıssız DİYARBAKIR", "ΟΔΟΣ ΟΔΟΣ. ΣΑΣ-ΣΟΣ Σ ΑΣ\u00adΑ ΑΣ\u0001Α", "Straße STRASSE ẞ",
    "ﬁre ﬂy ½ ¼ ² ™ № …", "e\u0301t\u00e9 caf\u0065\u0301 a\u0308\u0323o", "\u0301\u0302 \u0300a",
    "soft\u00adhyphen zero\u200bwidth join\u200der bom\ufeffmark rtl\u200fmark",
    "nul\u0000bell\u0007esc\u001bdel\u007fnext\u0085line\ufffdend",
    "line\u2028paragraph\u2029nbsp\u00a0thin\u2009ideographic\u3000space\u1680ogham\u180evowel",
    "vertical\u000btab form\u000cfeed file\u001cgroup\u001dunit\u001f",
    "private\ue000use non\uffffcharacter unassigned\u0378point",
    "中文abc中1文 \u3400\u4dbf\u9fff\uf900\ufa0e\U00020000\U0002b820\U0002b91f\U0002ceb0\U0002f800",
    "한글 각 \u1100\u1161 ㄱ カタカナ ガ か\u3099 ﾊﾝｶｸ",
    "مرحبا بالعالم؟ שלום עולם ־ नमस्ते दुनिया। ไทย",
    "emoji 😀👍🏽👩‍👩‍👧 ❤️ flag 🇬🇧 after", "dash – — ‑ ‐ minus − quote ‘a’ “b” «c» ′ ″",
    "x" * 200, "x" * 201, "the" * 66 + "ab " + "the" * 67, "é" * 201, "a" * 10000,
    "a.b,c!d?e;f:g'h\"i(j)k[l]m{n}o/p\\q|r@s#t$u%v^w&x*y-z_0+1=2<3>4~5`6",
    "U.S.A. don't rock'n'roll 3.14159 1e-9 0x1F http://a.b/c?d=e&f=g#h C++ C# a_b_c",
]


def open_text(name, mode):
    """Stands in for `tf.gfile.GFile`."""
    return open(name, mode, encoding="utf-8")


def load_google(path):
    """Returns Google's tokenization module, run with `open` in place of TensorFlow's files."""
    tensorflow = types.ModuleType("tensorflow.compat.v1")
    tensorflow.gfile = types.SimpleNamespace(GFile=open_text)
    compat = types.ModuleType("tensorflow.compat")
    compat.v1 = tensorflow
    sys.modules.update({"tensorflow": types.ModuleType("tensorflow"),
                        "tensorflow.compat": compat, "tensorflow.compat.v1": tensorflow})
    spec = importlib.util.spec_from_file_location("google_tokenization", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.FLAGS(["make_google_tokenization"])
    return module


def mixed_texts(count):
    """Returns strings of words, single characters and marks of the other texts, run together."""
    generator = random.Random(SEED)
    words = " ".join(SENTENCES).split()
    characters = sorted(set("".join(SINGLE_CASES)))
    texts = []
    for _ in range(count):
        parts = []
        for _ in range(generator.randrange(2, 10)):
            parts.append(generator.choice(words))
            parts.append(generator.choice(["", " ", generator.choice(characters)]))
        texts.append("".join(parts))
    return texts


def main(tokenization_path):
    google = load_google(tokenization_path)
    ascii_characters = " ".join(map(chr, range(33, 127)))
    accented = [unicodedata.normalize("NFD", sentence) for sentence in SENTENCES]
    texts = SENTENCES + [sentence.lower() for sentence in SENTENCES + accented] + accented
    vocabulary = learn_vocabulary(
        [*texts, ascii_characters], VOCABULARY_SIZE, lower_case=False)
    vocabulary.save(HERE / "vocab.txt")
    cases = []
    for lower_case in (True, False):
        tokenizer = google.FullTokenizer(str(HERE / "vocab.txt"), do_lower_case=lower_case)
        for text in SENTENCES + SINGLE_CASES + mixed_texts(60):
            pieces = tokenizer.tokenize(text)
            cases.append({"text": text, "lower_case": lower_case, "pieces": pieces,
                          "ids": tokenizer.convert_tokens_to_ids(pieces)})
    golden = {
        "made_by": "make_google_tokenization.py",
        "seed": SEED,
        "versions": {
            "tokenization.py sha256":
                hashlib.sha256(pathlib.Path(tokenization_path).read_bytes()).hexdigest(),
            "python": platform.python_version(),
            "unicode": unicodedata.unidata_version,
            "tokenizers (learning of vocab.txt)": tokenizers.__version__,
        },
        "cases": cases,
    }
    lines = json.dumps(golden, ensure_ascii=True, separators=(",", ":"))
    lines = lines.replace('{"text"', '\n{"text"')
    (HERE / "google_tokenization.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
