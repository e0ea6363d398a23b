"""Files that strangers give us: each with what is read from it, as something comparable."""

import dataclasses
import hashlib
import io
import json
import zipfile

import msgspec
import numpy as np

import mobilebert_tf as mb
from mobilebert_tf import model_directory
from mobilebert_tf.data.corpus.directory import CorpusDirectory
from mobilebert_tf.data.datasets import squad, tables
from mobilebert_tf.data.datasets.columns import Columns
from mobilebert_tf.data.datasets.labelled_texts import LabelledTexts
from mobilebert_tf.export.cascade import cascade_file
from mobilebert_tf.export.package import app_assets, facts
from mobilebert_tf.export.package import directory as package_directory
from mobilebert_tf.kinds.classification import Classification
from mobilebert_tf.text import tokenizer_config
from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary
from mobilebert_tf.training import stage_files
from mobilebert_tf.training.distillation_plan import DistillationPlan
from mobilebert_tf.training.stage import Stage

from ..weights import randomize

CONFIG = dataclasses.replace(mb.presets.get("micro"), num_blocks=1, num_feed_forwards=1,
                             vocab_size=12, max_positions=16)
VOCABULARY = Vocabulary([*SPECIAL_PIECES, *"abcdefg"])
LABELS = ("bad", "good", "so")


def of_model(contents):
    """All that decides what a model directory's model answers; rates of dropout do not."""
    config = contents.model.config.to_dict()
    for name in ("hidden_dropout", "attention_dropout", "initializer_range"):
        del config[name]
    digest = hashlib.sha256(b"".join(weights.tobytes()
                                     for weights in contents.model.get_weights())).hexdigest()
    return (type(contents.model).__name__, digest, tuple(config.items()), contents.kind,
            contents.lower_case, contents.task, contents.length)


@dataclasses.dataclass
class Subject:
    """A file, and a way to read it.

    Args:
      path: of the file.
      content: of it, as it should be.
      answer: reads it.
      free: fields that hold what their writer likes, where another value is another answer.
      says: content -> the answer, by hand, of a file whose writer likes what stands in all fields.
        Only for files that are read: it may fail for others.
      unread: outermost fields that nobody reads, which the sweep leaves out: each is a model built.
    """

    path: object
    content: bytes
    answer: object
    free: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    says: object = None

    def write(self, content):
        self.path.write_bytes(content)

    @property
    def json(self):
        found = json.loads(self.content)
        return {name: value for name, value in found.items() if name not in self.unread} if (
            self.unread) else found

    def is_free(self, path):
        return bool(path) and not {path[0], path[-1]}.isdisjoint(self.free)


def at(path, answer, free=(), unread=(), says=None):
    return Subject(path, path.read_bytes(), answer, free, unread, says)


def model_directory_of(directory):
    contents = model_directory.ModelDirectory(
        randomize(mb.Classifier(mb.Encoder(CONFIG), 3)), VOCABULARY,
        Classification(labels=LABELS), True, "classification",
        {"text": "body", "label": "folder"}, 16)
    model_directory.save(directory, contents)
    return directory


def huggingface_of(directory, family="mobilebert"):
    config = {"mobilebert": dataclasses.replace(CONFIG, pooler="tanh"),
              "bert": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                          vocab_size=12, max_positions=16),
              "distilbert": dataclasses.replace(
                  mb.presets.get("micro_bert"), num_blocks=1, vocab_size=12, max_positions=16,
                  type_vocab_size=0, pooler="first_token")}[family]
    encoder = mb.Encoder(config)
    model = (mb.TokenClassifier if family == "distilbert" else mb.Classifier)(encoder, 3)
    mb.checkpoints.save_huggingface(randomize(model), directory, LABELS)
    VOCABULARY.save(directory / "vocab.txt")
    return directory


def tokenizer_config_of(directory):
    path = directory / tokenizer_config.NAME
    path.write_text(json.dumps({
        "do_lower_case": True, "strip_accents": None, "tokenize_chinese_chars": True,
        "do_basic_tokenize": True, "never_split": ["[MASK]"], "tokenizer_class": "BertTokenizer"}))
    return at(path, lambda: tokenizer_config.lower_case(directory))


def keras_json_of(directory):
    """config.json inside of model.keras."""
    subject = at(directory / "model.keras", lambda: of_model(model_directory.load(directory)))
    with zipfile.ZipFile(io.BytesIO(subject.content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    class Inside(Subject):
        def write(self, content):
            with zipfile.ZipFile(self.path, "w") as archive:
                for name, old in members.items():
                    archive.writestr(name, content if name == "config.json" else old)

    return Inside(subject.path, members["config.json"], subject.answer,
                  free=("attention_mask_value",),
                  unread=("module", "registered_name", "build_config"))


def tflite_of(path):
    model = randomize(mb.Classifier(mb.Encoder(CONFIG), 3))
    path.write_bytes(mb.export.to_tflite(
        model, "dynamic_int8", (8, 16), vocabulary=VOCABULARY, labels=LABELS).model)
    inputs = {name: np.ones((1, 8), np.int32)
              for name in ("input_word_ids", "input_mask", "input_type_ids")}

    def answer():
        runner = mb.export.Runner(path)
        ids = runner.tokenizer.encode("a b c")
        return (runner(inputs)["probabilities"].tobytes(), runner.kind, runner.metadata.lengths,
                tuple(ids))

    return at(path, answer)


def tflite_json_of(path):
    """model.json inside of a .tflite file."""
    subject = tflite_of(path)
    graph = subject.content[:subject.content.index(b"PK\3\4")]
    with zipfile.ZipFile(io.BytesIO(subject.content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}

    class Inside(Subject):
        def write(self, content):
            file = io.BytesIO(graph)
            with zipfile.ZipFile(file, "a") as archive:
                for name, old in members.items():
                    archive.writestr(name, content if name == "model.json" else old)
            self.path.write_bytes(file.getvalue())

    return Inside(path, members["model.json"], subject.answer)


def safetensors_header_of(directory):
    """The JSON at the head of model.safetensors."""
    subject = at(directory / "model.safetensors", lambda: of_model(model_directory.load(directory)))
    size = int.from_bytes(subject.content[:8], "little")
    data = subject.content[8 + size:]

    class Inside(Subject):
        def write(self, content):
            self.path.write_bytes(len(content).to_bytes(8, "little") + content + data)

    return Inside(subject.path, subject.content[8:8 + size], subject.answer)


def corpus_of(directory, make_corpus):
    make_corpus(directory, train=8, validation=2)

    def answer():
        found = msgspec.to_builtins(CorpusDirectory.load(directory), enc_hook=str)
        assert found.pop("directory") == str(directory)
        return json.loads(json.dumps(found))  # lists for tuples

    return at(directory / "corpus.json", answer, says=json.loads)


def stages_of(directory):
    path = directory / "stages.json"
    plan = DistillationPlan(strategy="joint", transfer_steps=4, distillation_steps=4, batch_size=2)
    stage_files.save(path, plan.stages(("embedding", "block_0", "pooler", "mlm"), ((0, 0),)))
    defaults = {field.name: field.default for field in dataclasses.fields(Stage)
                if field.default is not dataclasses.MISSING}

    def parsed(content):
        """With fractions only: a whole number may stand where one is meant."""
        return json.loads(content, parse_int=float)

    def says(content):
        return [{**parsed(json.dumps(defaults)), **stage} for stage in parsed(content)]

    def answer():
        return parsed(json.dumps(stage_files.to_json(stage_files.load(path))))

    return at(path, answer, says=says)


def jsonl_of(directory):
    path = directory / "rows.jsonl"
    path.write_text(json.dumps({"text": "A b", "label": "x", "more": {"a": [1]}}))

    def says(content):
        """Numbers, true and false are texts, spelled as in JSON."""
        row = json.loads(content, parse_int=str, parse_float=str)
        text = row["text"] if isinstance(row["text"], str) else json.dumps(row["text"])
        return LabelledTexts((text,), (("x", "y").index(row["label"]),), names=("x", "y"))

    return at(path, lambda: tables.read(path, Columns("text", "label"), ("x", "y")), says=says)


def squad_of(directory):
    path = directory / "squad.json"
    question = {"id": "1", "question": "Who?", "is_impossible": False,
                "answers": [{"text": "Ada", "answer_start": 0}]}
    path.write_text(json.dumps({"version": "1", "data": [{"title": "t", "paragraphs": [
        {"context": "Ada wrote it.", "qas": [question]}]}]}))

    def says(content):
        return tuple(
            squad.Question(entry["id"], entry["question"], paragraph["context"],
                           tuple(squad.Answer(answer["text"], answer["answer_start"])
                                 for answer in entry["answers"]),
                           entry.get("is_impossible", False))
            for article in json.loads(content)["data"] for paragraph in article["paragraphs"]
            for entry in paragraph["qas"])

    return at(path, lambda: squad.read(path), says=says)


def package_of(directory):
    """model.json of a package, by which an app's assets are written."""
    model = randomize(mb.Classifier(mb.Encoder(CONFIG), 3))
    result = mb.export.to_tflite(model, "dynamic_int8", (8, 16), vocabulary=VOCABULARY,
                                 labels=LABELS)
    package, assets = directory / "package", directory / "assets"
    package.mkdir()
    (package / "a.tflite").write_bytes(result.model)
    path = package / package_directory.DESCRIPTION
    path.write_text(package_directory.to_json({
        **facts.of_model("a", result), "pairs": False, "settings": None,
        "files": [facts.of_file("a.tflite", result)]}))

    def answer():
        app_assets.write_from_package(assets, package)
        return {file.name: file.read_bytes() for file in assets.rglob("*")
                if file.is_file() and file.name != package_directory.DESCRIPTION}

    return at(path, answer)


def cascade_of(directory):
    """The JSON file of a cascade; nothing of the models but their bytes is read."""
    models = [directory / "small.tflite", directory / "large.tflite"]
    for model in models:
        model.write_bytes(model.name.encode())
    path = directory / "cascade.json"
    cascade_file.write(path, models, Classification(labels=LABELS), 0.75, {"task": "sst2"})
    return at(path, lambda: cascade_file.read(path), free=("threshold",),
              unread=("kind", "labels", "task"))


def google_config_of(directory):
    path = directory / "bert_config.json"
    path.write_text(json.dumps({
        "vocab_size": 12, "hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 8, "hidden_act": "gelu", "max_position_embeddings": 16,
        "type_vocab_size": 2, "directionality": "bidi"}))

    def says(content):
        """With the defaults of BertConfig in google-research's modeling.py."""
        fields = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12,
                  "intermediate_size": 3072, "hidden_act": "gelu", "max_position_embeddings": 512,
                  "type_vocab_size": 16, **json.loads(content)}
        return {"vocab_size": fields["vocab_size"], "hidden_size": fields["hidden_size"],
                "num_blocks": fields["num_hidden_layers"],
                "num_heads": fields["num_attention_heads"],
                "intermediate_size": fields["intermediate_size"],
                "max_positions": fields["max_position_embeddings"],
                "type_vocab_size": fields["type_vocab_size"],
                "activation": {"gelu": "gelu_tanh", "relu": "relu"}[fields["hidden_act"]]}

    def answer():
        config = mb.checkpoints.read_google_config(path).to_dict()
        return {name: config[name] for name in says(path.read_bytes())}

    return at(path, answer, says=says)
