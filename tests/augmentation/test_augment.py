import json

import pytest

from mobilebert_tf.augmentation import augment as module
from mobilebert_tf.augmentation.augment_examples import augment_examples
from mobilebert_tf.augmentation.settings import AugmentationSettings
from mobilebert_tf.data.datasets import conll, squad
from mobilebert_tf.errors import InputError
from mobilebert_tf.tasks import catalogue

OWN = {"task": "classification", "text": "body", "label": "folder"}
SETTINGS = AugmentationSettings(draws=4)


@pytest.fixture
def augment(monkeypatch, masked_lm):
    """`augment` with the scripted masked LM."""
    monkeypatch.setattr(module.MaskedLM, "load", lambda path: masked_lm)

    def run(table, output, **options):
        return module.augment(table, output, model="scripted",
                              **{"settings": SETTINGS, **options})

    return run


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "train.csv"
    path.write_text('body,folder\na film!,good\n,bad\n"a weak, unable film",bad\nthe story,good\n'
                    "movie,bad\n")
    return path


def read(path, name, columns=None):
    """The examples of a file as fine-tuning reads them."""
    return (task := catalogue.of(name, columns).found_in([path])).read_train([path]), task


@pytest.mark.parametrize("ending", ["tsv", "csv", "jsonl", "tsv.gz", "csv.gz", "jsonl.gz"])
def test_finetuning_reads_the_augmented_table(augment, table, tmp_path, ending):
    output = tmp_path / f"augmented.{ending}"
    result = augment(table, output, **OWN)
    examples, task = read(output, "classification", {"text": "body", "label": "folder"})
    assert task.labels == ("bad", "good")
    assert (result.rows, result.written) == (4, len(examples))
    assert 4 < result.written <= 4 * 5
    labels = dict(zip(examples.texts, examples.labels, strict=True))
    assert examples.texts[0] == "a film!"
    assert {text: labels[text] for text in ("a film!", "a weak, unable film", "movie")} == {
        "a film!": 1, "a weak, unable film": 0, "movie": 0}
    assert [row.line for row in result.left_out] == [3]


def test_the_table_is_not_written_over(augment, table):
    before = table.read_bytes()
    with pytest.raises(InputError, match="is the table itself: name another file"):
        augment(table, table.parent / "x" / ".." / table.name, **OWN)
    assert table.read_bytes() == before


def test_any_text_of_json_lines_can_be_written_as_csv(augment, tmp_path):
    path, texts = tmp_path / "train.jsonl", ["a\rfilm", "a\nfilm", "a\r\nfilm", 'a "film", a']
    path.write_text("".join(json.dumps({"body": text, "folder": folder}) + "\n"
                            for text, folder in zip(texts, "abab", strict=True)))
    augment(path, tmp_path / "out.csv", **{**OWN, "settings": AugmentationSettings(draws=0)})
    examples, _ = read(tmp_path / "out.csv", "classification", {"text": "body", "label": "folder"})
    assert list(examples.texts) == texts


@pytest.mark.parametrize("count", [2, 3])
def test_shards_together_are_the_whole(augment, table, tmp_path, count):
    augment(table, tmp_path / "whole.jsonl", **OWN)
    parts = [tmp_path / f"{number}.jsonl" for number in range(1, count + 1)]
    for number, part in reversed(list(enumerate(parts, 1))):
        augment(table, part, shard=(number, count), **OWN)
    assert b"".join(part.read_bytes() for part in parts) == (tmp_path / "whole.jsonl").read_bytes()


GLUE = {
    "cola": "x\t1\t\ta film\nx\t0\t*\tfilm a movie\n",
    "sst2": "sentence\tlabel\na film\t1\nfilm a movie\t0\n",
    "mrpc": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t5\t6\ta film\ta movie\n"
            "0\t5\t6\ta film\tthe \"story\n",
    "stsb": "sentence1\tsentence2\tscore\na film\ta movie\t3.8\na film\tthe story\t0.25\n",
    "rte": "sentence1\tsentence2\tlabel\na film\ta movie\tentailment\n"
           "a film\tthe story\tnot_entailment\n"}


@pytest.mark.parametrize("task", GLUE)
def test_tables_of_glue_keep_their_format(augment, tmp_path, task):
    path, output = tmp_path / "train.tsv", tmp_path / "augmented.tsv"
    path.write_text(GLUE[task])
    augment(path, output, task=task, settings=AugmentationSettings(draws=0))
    before, after = (read(one, task)[0] for one in (path, output))
    assert before == after
    assert len(before) == 2
    # Enough draws that one of them replaces a word.
    assert augment(path, output, task=task, settings=AugmentationSettings(draws=30)).written > 2
    assert set(read(output, task)[0].labels) == set(before.labels)


def test_a_directory_in_the_place_of_the_parts_is_left_alone(augment, tmp_path):
    path, parts = tmp_path / "train.tsv", tmp_path / "out.tsv.parts"
    path.write_text(GLUE["sst2"])
    parts.mkdir()
    (parts / "letter.txt").write_text("dear")
    with pytest.raises(InputError, match="out.tsv.parts has letter.txt in it, which is not of"):
        augment(path, tmp_path / "out.tsv", task="sst2")
    assert (parts / "letter.txt").read_text() == "dear"


def test_several_labels_stay(augment, tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text('{"text": "film\\tmovie", "labels": ["joy", "love"]}\n'
                    '{"text": "story", "labels": []}\n')
    options = {"task": "multi_label", "text": "text", "label": "labels",
               "settings": AugmentationSettings(draws=0)}
    augment(path, tmp_path / "out.jsonl", **options)
    assert [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [
        {"text": "film\tmovie", "labels": ["joy", "love"]}, {"text": "story", "labels": []}]
    with pytest.raises(InputError, match="'film.*movie' holds a tab or .*: write a .csv or"):
        augment(path, tmp_path / "out.tsv", **options)
    assert not (tmp_path / "out.tsv").exists()
    path.write_text(path.read_text().replace("\\t", " ").replace("love", "lo\\tve"))
    with pytest.raises(InputError, match="'joy|lo.*ve' holds a tab"):
        augment(path, tmp_path / "out.tsv", **options)
    path.write_text(path.read_text().replace("lo\\tve", "love"))
    augment(path, tmp_path / "out.tsv", **options)
    assert (tmp_path / "out.tsv").read_text() == "text\tlabels\nfilm movie\tjoy|love\nstory\t\n"


@pytest.mark.parametrize(("output", "options", "sentence"), [
    ("a.txt", OWN, "a.txt should end in .tsv, .csv, .jsonl, or one of these and .gz"),
    ("a.gz", OWN, "should end in .tsv, .csv, .jsonl"),
    ("a.tsv", {"task": "similarity"}, "the task similarity is only evaluated"),
    ("a.tsv", {"task": "squad"}, "train.csv is not JSON: .*invalid char"),
    ("a.tsv", {**OWN, "text": "none"}, "train.csv, line 1: there is no column 'none'"),
    ("a.tsv", {**OWN, "task": "regression"}, "train.csv, line 2: the folder 'good' is not a num"),
    ("a.tsv", {**OWN, "shard": (3, 2)}, "shard 3 of 2 does not exist"),
    ("a.tsv", {**OWN, "shard": (1, 9)}, "shard 1 of 9 has no row: the table has 4"),
    ("train.csv/a.tsv", OWN, "cannot write"),
])
def test_what_cannot_be_augmented(augment, table, tmp_path, output, options, sentence):
    with pytest.raises(InputError, match=sentence):
        augment(table, tmp_path / output, **options)
    assert {path.name for path in tmp_path.iterdir()} == {"train.csv"}


@pytest.mark.parametrize(("task", "output", "sentence"), [
    ("sst2", "a.jsonl", "a.jsonl should end in .tsv, or"),
    ("squad", "a.tsv", "a.tsv should end in .json or .json.gz")])
def test_the_output_has_a_format_of_the_task(augment, tmp_path, task, output, sentence):
    (tmp_path / "train").write_text(FILES[task])
    with pytest.raises(InputError, match=sentence):
        augment(tmp_path / "train", tmp_path / output, task=task)


MANY = AugmentationSettings(draws=20)
QUESTIONS = {"version": "v2.0", "data": [{"title": "Film", "paragraphs": [
    {"context": "The Film\n“won’t” be a weak, unable movie.", "qas": [
        {"id": "a", "question": "weak film?", "is_impossible": False, "answers": [
            {"text": "weak", "answer_start": 22}, {"text": "a weak,", "answer_start": 20}]},
        {"id": "b", "question": "a story?", "is_impossible": True, "answers": [],
         "plausible_answers": [{"text": "movie", "answer_start": 35}]}]}]}]}
# Files of tasks with a format of their own; with tabs, quotes and line ends.
FILES = {**GLUE, "squad_v2": json.dumps(QUESTIONS),
         "tagging": "-DOCSTART- -X- O O\n\nFilm NN I-NP O\nunable JJ I-NP B-work\n"
                    "movie NN I-NP I-work\n\nstory NN I-NP O\n\"movie\" NN I-NP O\n"}
FILES["squad"] = FILES["squad_v2"].replace("true, \"answers\": []", "false, " + json.dumps(
    {"answers": [{"text": "Film", "answer_start": 4}]})[1:-1])


@pytest.mark.parametrize("packed", ["", ".gz"])
@pytest.mark.parametrize(("task", "ending"), [
    ("squad", "json"), ("squad_v2", "json"), ("tagging", "bio"), ("mrpc", "tsv")])
def test_the_file_holds_what_the_library_makes(augment, masked_lm, tmp_path, task, ending, packed):
    path, output = tmp_path / "train", tmp_path / f"out.{ending}{packed}"
    path.write_text(FILES[task])
    result = augment(path, output, task=task, settings=MANY)
    before, after = (read(one, task)[0] for one in (path, output))
    assert after == augment_examples(before, masked_lm, MANY)
    assert (result.rows, result.written) == (len(before), len(after))
    assert len(after) > len(before)
    assert output.read_bytes()[:2] == b"\x1f\x8b" or not packed
    assert {one.name for one in tmp_path.iterdir()} == {"train", output.name}


@pytest.mark.parametrize(("task", "ending"), [("squad_v2", "json"), ("tagging", "bio")])
def test_shards_of_questions_and_tags_are_the_whole(augment, tmp_path, task, ending):
    (tmp_path / "train").write_text(FILES[task])
    for name, shard in [("whole", (1, 1)), ("first", (1, 2)), ("second", (2, 2))]:
        augment(tmp_path / "train", tmp_path / f"{name}.{ending}", task=task, settings=MANY,
                shard=shard)
    whole, first, second = (READERS[task](tmp_path / f"{name}.{ending}")
                            for name in ("whole", "first", "second"))
    assert first + second == whole


READERS = {"squad_v2": squad.read, "tagging": conll.read}


def test_the_default_draws_of_questions_are_those_of_squad(augment, tmp_path):
    (tmp_path / "train").write_text(FILES["squad"])
    assert augment(tmp_path / "train", tmp_path / "out.json", task="squad_v2",
                   settings=None).settings.draws == 20
