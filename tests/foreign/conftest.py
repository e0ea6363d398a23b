import pytest

from mobilebert_tf import files
from mobilebert_tf.checkpoints.architectures import Architecture
from mobilebert_tf.export.package import model_folder
from mobilebert_tf.tasks import catalogue

from . import subjects


@pytest.fixture(scope="session")
def built():
    return {}


@pytest.fixture(autouse=True)
def built_once(built):
    """Models of one config are built once: thousands of files are read into them."""
    def once(build, *arguments):
        key = repr(arguments)
        if key not in built:
            built[key] = build(*arguments)
        return built[key]

    with pytest.MonkeyPatch.context() as patch:
        build = Architecture.build
        patch.setattr(Architecture, "build", lambda *arguments: once(build, *arguments))
        patch.setattr(files, "flush", lambda path: None)  # nothing here outlives a test
        table = model_folder.normalization_table
        patch.setattr(model_folder, "normalization_table", lambda *given: once(table, *given))
        yield


@pytest.fixture(scope="session")
def make_subject(tmp_path_factory, make_corpus, write_position):
    """name -> a new `Subject`."""
    made = {
        "model.json": lambda place: _own(place, "model.json"),
        "model.keras": lambda place: subjects.keras_json_of(subjects.model_directory_of(place)),
        "config.json of mobilebert": lambda place: _huggingface(place, "mobilebert"),
        "config.json of bert": lambda place: _huggingface(place, "bert"),
        "config.json of distilbert": lambda place: _huggingface(place, "distilbert"),
        "tokenizer_config.json": subjects.tokenizer_config_of,
        "model.json in a .tflite": lambda place: subjects.tflite_json_of(place / "model.tflite"),
        "header of safetensors": lambda place: subjects.safetensors_header_of(
            subjects.huggingface_of(place)),
        "model.json of a package": subjects.package_of,
        "bert_config.json": subjects.google_config_of,
        "cascade.json": subjects.cascade_of,
        "corpus.json": lambda place: subjects.corpus_of(place, make_corpus),
        "stages.json": subjects.stages_of,
        "position.json": write_position,
        "rows.jsonl": subjects.jsonl_of,
        "squad.json": subjects.squad_of,
    }

    def make(name):
        return made[name](tmp_path_factory.mktemp("subject"))

    make.names = tuple(made)
    return make


def _own(place, name):
    subjects.model_directory_of(place)

    def answer():
        contents = subjects.model_directory.load(place)
        if contents.task is not None:
            catalogue.of(contents.task, contents.columns, contents.labels, contents.kind.settings)
        return subjects.of_model(contents)

    return subjects.at(place / name, answer, free=("labels", "columns"))


def _huggingface(place, family):
    subjects.huggingface_of(place, family)
    return subjects.at(
        place / "config.json", lambda: subjects.of_model(subjects.model_directory.load(place)),
        free=("id2label",), unread=("label2id", "pad_token_id"))


@pytest.fixture(scope="session")
def write_position():
    """directory -> the position.json of a run's checkpoint there."""
    import tensorflow as tf

    from mobilebert_tf.resuming.checkpoints import RunCheckpoints
    from mobilebert_tf.resuming.position import Position

    def write(directory):
        run = {"stages": [{"name": "one", "steps": 3}], "seed": 1}
        checkpoints = RunCheckpoints(directory, run)
        variable = tf.Variable([1.0, 2.0])
        state = tf.train.Checkpoint(variable=variable)
        checkpoints.save(Position(0, 2), state)

        def answer():
            variable.assign([0.0, 0.0])
            position = checkpoints.restore(lambda position: state, lambda line: None)
            return position, variable.numpy().tolist()

        return subjects.at(directory / "stage-00-step-00000002" / "position.json", answer)

    return write
