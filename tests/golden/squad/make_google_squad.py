"""Writes questions.json and google_squad.json: what Google's and SQuAD's own code give.

    pip download --no-deps bert-tensorflow==1.0.4 allennlp==0.9.0 tf-models-official==2.20.0
    for wheel in *.whl; do unzip $wheel; done
    python tests/golden/squad/make_google_squad.py .

Features and decoded answers are those of bert/run_squad.py. Scores are those of evaluate-v1.1.py,
which allennlp/tools/squad_eval.py is a copy of, and of evaluate-v2.0.py in TensorFlow's copy,
official/nlp/tools/squad_evaluate_v2_0.py, which calls `best_exact` and the like `final_exact`.
Needs six and absl-py. TensorFlow, which run_squad.py imports for other things, is replaced.
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
from unittest import mock

HERE = pathlib.Path(__file__).parent
VOCABULARY = HERE.parent / "text" / "vocab.txt"
SEED = 11
SETTINGS = ({"length": 384, "stride": 128, "max_question_length": 64},
            {"length": 40, "stride": 17, "max_question_length": 8},
            # Steps longer than a window: they end where the window does.
            {"length": 20, "stride": 30, "max_question_length": 5})
N_BEST, MAX_ANSWER_LENGTH = 5, 7
SOURCES = {"tokenization": "bert/tokenization.py", "run_squad": "bert/run_squad.py",
           "v1": "allennlp/tools/squad_eval.py",
           "v2": "official/nlp/tools/squad_evaluate_v2_0.py"}

FERRY = (
    "The ferry Aurora was built by the engineer Ida Holm (1871-1944), who had studied in Zürich. "
    "It carried 240 passengers, 12 carts and, on market days, the bakers' cooperative across the "
    "harbour; a crossing took twenty-five minutes, or forty in the winds of February. In the "
    "winter of 1903 the ice closed the harbour for nine weeks, and the harbour-master, a man "
    "named Olsen, let the villagers walk. Two of the Aurora's lanterns are still on the quay: "
    "one on the roof of the old customs house, the other above the door of the bakery. The "
    "Aurorans, as the crew were called, wrote letters that nobody has translated; the museum "
    "keeps them in a box that reads \"Do not open before 2003\", which was opened in 1998")
SPACES = (" \tTwo  spaces, a\ttab,\r\na new line.\u202fA narrow space; no\u00a0break and thin\u2009"
          "space\u3000are inside words. Ο ΟΔΟΣ\u202fΑΣ ends so.  ")
LETTERS = ("İstanbul and DİYARBAKIR, Straße 12, ﬁre; cafe\u0301 au lait, 北京和東京 (Beijing), "
           "한국어, soft\u00adhyphen zero\u200bwidth \u200b and 👩\u200d👩\u200d👧 family. "
           + "m" * 250 + " is too long a word. [SEP] is none. İ")


def answered(identifier, question, context, *texts):
    return {"id": identifier, "question": question, "is_impossible": False, "answers": [
        {"text": text, "answer_start": context.index(text)} for text in texts]}


def unanswered(identifier, question):
    return {"id": identifier, "question": question, "answers": [], "is_impossible": True}


PARAGRAPHS = (
    (FERRY, [
        answered("birth", "When was Ida Holm born?", FERRY, "1871", "(1871-1944)"),
        answered("builder", "Who built it?", FERRY, "Ida Holm", "the engineer Ida Holm"),
        answered("last", "When was the box opened?", FERRY, "1998", "in 1998"),
        answered("part", "Of which ship were the Aurorans?", FERRY, "Aurora", "the Aurora"),
        answered("long", "What did the ferry carry across the harbour on the days on which there "
                         "was a market in the town?", FERRY,
                 "240 passengers, 12 carts and, on market days, the bakers' cooperative"),
        unanswered("impossible", "Who sold the ferry?"),
        answered("article", "Which word comes first?", FERRY, "The"),
        answered("empty question", "", FERRY, "Zürich"),
    ]),
    (SPACES, [
        answered("lines", "What is after the tab?", SPACES, "tab,\r\na new line"),
        answered("space first", "What is narrow?", SPACES, "\u202fA narrow space"),
        answered("sigma", "Which way?", SPACES, "ΟΔΟΣ"),
        answered("end", "How does it end?", SPACES, "so."),
    ]),
    (LETTERS, [
        answered("dotted", "Which  city\tis first?", LETTERS, "İstanbul"),
        answered("han", "Which 城 is second?", LETTERS, "東京"),
        answered("accent", "What was drunk?", LETTERS, "cafe\u0301 au lait"),
        answered("unknown", "Which word is too long?", LETTERS, "m" * 250),
        answered("family", "Who?", LETTERS, "👩\u200d👩\u200d👧 family"),
        answered("last letter", "Which is last?", LETTERS, "[SEP] is none. İ"),
    ]),
    ("\u200b \u0001\u200d\ufeff", [unanswered("no pieces", "Is there a word?")]),
    ("", [unanswered("no context", "Is there a text?")]),
)


def open_text(name, mode):
    """Stands in for TensorFlow's files."""
    return open(name, mode, encoding="utf-8")


def load_sources(directory):
    """Returns a namespace of the modules, and run_squad.py's flags."""
    tensorflow = mock.MagicMock()
    tensorflow.gfile.Open = tensorflow.gfile.GFile = open_text
    flags = tensorflow.flags.FLAGS = types.SimpleNamespace(
        verbose_logging=False, null_score_diff_threshold=0.0, version_2_with_negative=True)
    sys.modules.update({
        "tensorflow": types.ModuleType("tensorflow"),
        "tensorflow.compat": types.SimpleNamespace(v1=tensorflow),
        "tensorflow.compat.v1": tensorflow,
        "bert": types.SimpleNamespace(modeling=mock.MagicMock(), optimization=mock.MagicMock())})
    loaded = {}
    for name, place in SOURCES.items():
        spec = importlib.util.spec_from_file_location(f"google_{name}", directory / place)
        loaded[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded[name])
        if name == "tokenization":
            loaded[name].FLAGS(["make_google_squad"])
            sys.modules["bert"].tokenization = loaded[name]
    return types.SimpleNamespace(**loaded), flags


def examples_and_features(sources, path, setting):
    examples = sources.run_squad.read_squad_examples(path, is_training=True)
    features = []
    sources.run_squad.convert_examples_to_features(
        examples=examples,
        tokenizer=sources.tokenization.FullTokenizer(str(VOCABULARY), do_lower_case=True),
        max_seq_length=setting["length"], doc_stride=setting["stride"],
        max_query_length=setting["max_question_length"], is_training=True,
        output_fn=features.append)
    return examples, features


def windows(examples, features):
    """By question, what the features of each window say."""
    found = {example.qas_id: [] for example in examples}
    for feature in features:
        tokens = sum(feature.input_mask)
        context = sorted(feature.token_to_orig_map)
        found[examples[feature.example_index].qas_id].append({
            "ids": feature.input_ids[:tokens],
            "first_length": tokens - sum(feature.segment_ids),
            "words": [feature.token_to_orig_map[place] for place in context],
            "is_max_context": "".join(
                "01"[feature.token_is_max_context[place]] for place in context),
            # None where the question is impossible: nothing is asked of this window.
            "start": feature.start_position or 0, "end": feature.end_position or 0})
    return found


def decoded(sources, flags, examples, features, length):
    """Logits of one decimal, so that some are equal, and the three files that come of them."""
    generator = random.Random(SEED)
    # run_squad.py fails where there is no window; these questions are the last.
    examples = examples[:features[-1].example_index + 1]
    results, logits = [], {example.qas_id: [] for example in examples}
    for feature in features:
        tokens = sum(feature.input_mask)
        start, end = ([round(generator.uniform(-4, 4), 1) for _ in range(tokens)]
                      for _ in range(2))
        # [CLS] likely enough in all windows for "no answer" to come at any rank.
        start[0] = 4.0
        end[0] = feature.example_index % 6 * 0.75 + feature.doc_span_index % 3 / 10
        logits[examples[feature.example_index].qas_id].append([start, end])
        padding = [-9.0] * (length - tokens)
        results.append(sources.run_squad.RawResult(
            feature.unique_id, start + padding, end + padding))
    files = {}
    sources.run_squad.tf.gfile.GFile = lambda name, mode: mock.MagicMock(
        __enter__=lambda _: types.SimpleNamespace(
            write=lambda text: files.update({name: json.loads(text)})))
    for name, has_null in (("without_null", False), ("with_null", True)):
        flags.version_2_with_negative = has_null
        sources.run_squad.write_predictions(
            examples, features, results, N_BEST, MAX_ANSWER_LENGTH, True,
            f"{name} predictions", f"{name} n_best", f"{name} null_odds")
    return {"logits": logits, **files}


def cut(text, generator):
    return text[:generator.randrange(len(text))] if text else text


CHANGES = {
    "gold": lambda text, generator: text,
    "dressed": lambda text, generator: f"  The {text.upper()}, an...\u00a0a\n" if text else "the",
    "cut": cut,
    "quoted": lambda text, generator: f"“{text}”",
    "no answer": lambda text, generator: "",
    "mixed": lambda text, generator: generator.choice([text, "", "harbour", cut(text, generator)]),
}


def scores(sources, data):
    """Predictions with null odds, some of them equal, and their official scores."""
    generator = random.Random(SEED)
    entries = [entry for paragraph in data["data"][0]["paragraphs"] for entry in paragraph["qas"]]
    with_answers = [{"paragraphs": [{"qas": [entry for entry in entries if entry["answers"]]}]}]
    cases = []
    for name, change in CHANGES.items():
        predictions = {entry["id"]: change(
            generator.choice(entry["answers"])["text"] if entry["answers"] else "", generator)
            for entry in entries}
        odds = {identifier: float(generator.randrange(-3, 4))
                for identifier in generator.sample(sorted(predictions), len(predictions))}
        v2 = {}
        for threshold in (1.0, -1.0):
            with mock.patch.object(
                    sources.v2._apply_no_ans_threshold, "__defaults__", (threshold,)):
                v2[str(threshold)] = {
                    key.replace("final_", "best_"): value for key, value in
                    sources.v2.evaluate(data["data"], predictions, odds).items()
                    if not key.startswith("pr_")}
        answers = {identifier: text for identifier, text in predictions.items()
                   if identifier != "builder"}
        cases.append({"name": name, "predictions": predictions, "null_odds": odds, "v2": v2,
                      "v1_without_builder": sources.v1.evaluate(with_answers, answers)})
    return cases


def main(directory):
    sources, flags = load_sources(directory)
    data = {"version": "v2.0", "data": [{"title": "Ours", "paragraphs": [
        {"context": context, "qas": questions} for context, questions in PARAGRAPHS]}]}
    (HERE / "questions.json").write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    # run_squad.py trains on one answer a question.
    one_answer = json.loads(json.dumps(data))
    for paragraph in one_answer["data"][0]["paragraphs"]:
        for question in paragraph["qas"]:
            del question["answers"][1:]
    path = HERE / "one_answer.json"
    path.write_text(json.dumps(one_answer), encoding="utf-8")
    made = [examples_and_features(sources, path, setting) for setting in SETTINGS]
    path.unlink()
    golden = {
        "made_by": "make_google_squad.py", "seed": SEED,
        "versions": {**{f"{place} sha256": hashlib.sha256(
            (directory / place).read_bytes()).hexdigest() for place in SOURCES.values()},
            "python": platform.python_version(), "unicode": unicodedata.unidata_version},
        "features": [{"setting": setting, "windows": windows(*one)}
                     for setting, one in zip(SETTINGS, made, strict=True)],
        "decoding": {"setting": SETTINGS[1], "n_best": N_BEST,
                     "max_answer_length": MAX_ANSWER_LENGTH,
                     **decoded(sources, flags, *made[1], SETTINGS[1]["length"])},
        "scores": scores(sources, data),
    }
    lines = json.dumps(golden, separators=(",", ":")).replace('{"ids"', '\n{"ids"')
    (HERE / "google_squad.json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
