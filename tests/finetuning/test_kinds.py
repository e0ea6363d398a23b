"""Fine-tuning on a task of every kind, and on a grid, from files to directories."""

import numpy as np
import pytest

from mobilebert_tf import kinds, model_directory
from mobilebert_tf.data.features.question_settings import QuestionSettings
from mobilebert_tf.finetuning import search
from mobilebert_tf.finetuning.run import run as fine_tune
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.finetuning.start import Start
from mobilebert_tf.running import run as running
from mobilebert_tf.running.keras_runner import KerasRunner
from mobilebert_tf.tasks import catalogue

from ..tiny_tasks import WORDS, classification, multi_label, squad, squad_v2, stsb, tagging

COUNT = 60


@pytest.fixture
def texts():
    random = np.random.default_rng(2)
    return [random.choice(WORDS, random.integers(3, 12)).tolist() for _ in range(COUNT)]


# The setting that fine-tuning chooses, the score that chooses it, and what it is best for.
THRESHOLDS = {
    "squad_v2": ("null_threshold", "best_f1_thresh", "f1", "best_f1"),
    "multi_label": ("threshold", "best_threshold", "micro_f1", "best_micro_f1")}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "write", "columns"), [
    ("tagging", tagging, None), ("squad", squad, None), ("squad_v2", squad_v2, None),
    ("stsb", stsb, None),
    ("classification", classification, {"text": "said", "label": "mood"}),
    ("multi_label", multi_label, {"text": "said", "label": "moods"})])
def test_the_directory_has_the_scores_of_the_best_epoch(
        name, write, columns, texts, small_start, tmp_path):
    task = catalogue.of(name, columns)
    ending = ".csv" if columns else ""
    for file in (*task.train_files, task.dev_file):
        (tmp_path / f"{file}{ending}").write_text(write(texts))
    # Windows: sentences of more than eight words, contexts of more than five.
    settings = FineTuningSettings(learning_rate=3e-3, batch_size=8, epochs=8, length=10)
    result = fine_tune(catalogue.data(task, tmp_path), Start(checkpoint=small_start), settings,
                       tmp_path / "run", lambda line: None)
    losses = result.history["loss"]
    assert losses[-1] < 0.8 * losses[0]

    contents = model_directory.load(tmp_path / "run")
    assert kinds.of(contents.model).name == task.kind.name == contents.kind.name
    assert (contents.task, contents.columns) == (name, columns)
    task = catalogue.of(contents.task, contents.columns, contents.labels)
    runner = KerasRunner(contents, 10, "run")
    examples = task.read(catalogue.data(task, tmp_path).dev_file)
    features = task.kind.rows(examples, runner.tokenizer, 10)
    assert (max(features.rows or [1]) > 1) == (name in ("tagging", "squad", "squad_v2"))

    def scores(task):
        return task.score(running.run(task.kind, runner, examples, features).answers, examples)

    assert scores(task) == pytest.approx(result.scores, abs=1e-6)
    # The directory's threshold is the best one for the dev set.
    settings = contents.kind.settings
    threshold, best_threshold, score, best_score = THRESHOLDS.get(name, (None,) * 4)
    if threshold is None:
        assert settings == (QuestionSettings() if name == "squad" else None)
    else:
        assert getattr(settings, threshold) == result.scores[best_threshold]
        assert scores(task.bound(task.labels, settings))[score] == pytest.approx(
            result.scores[best_score], abs=1e-6)


def test_a_score_at_half_leaves_the_threshold_there(texts, small_start, tmp_path):
    task = catalogue.of("multi_label", {"text": "said", "label": "moods"})
    for file in (*task.train_files, task.dev_file):
        (tmp_path / f"{file}.csv").write_text(multi_label(texts))
    result = fine_tune(
        catalogue.data(task, tmp_path), Start(checkpoint=small_start),
        FineTuningSettings(learning_rate=3e-3, batch_size=8, epochs=1, length=10,
                           metric="macro_f1"), tmp_path / "run", lambda line: None)
    assert result.scores["best_threshold"] != 0.5
    assert model_directory.load(tmp_path / "run").kind.used_settings.threshold == 0.5


@pytest.mark.slow
def test_a_grid_continues_where_it_was_and_runs_nothing_twice(make_data, small_start, tmp_path):
    data = catalogue.data(catalogue.of("sst2"), make_data(tmp_path / "SST-2", 64, 32))
    tried = search.grid(FineTuningSettings(batch_size=16, epochs=1, length=16),
                        ["learning_rate=1e-5,1e-2"])
    said = []

    def run(settings, directory):
        return fine_tune(data, Start(checkpoint=small_start), settings, directory, said.append)

    (first,) = search.run(run, tried[:1], tmp_path / "grid", said.append)
    said.clear()
    rows = search.run(run, tried, tmp_path / "grid", said.append)
    assert rows[0] == first
    assert said[0] == f"{rows[0].directory} is finished already"
    assert "finished" not in "".join(said[1:])
    assert {path.name for path in (tmp_path / "grid").iterdir()} == {
        row.directory.name for row in rows}
    assert all(model_directory.is_model_directory(row.directory) for row in rows)
