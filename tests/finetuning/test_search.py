import dataclasses

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning import search
from mobilebert_tf.finetuning.diverged import Diverged
from mobilebert_tf.finetuning.settings import FineTuningSettings


@dataclasses.dataclass(frozen=True)
class Result:
    """As that of `fitting`, which loads TensorFlow."""

    best_epoch: int
    scores: dict

    @property
    def score(self):
        return self.scores["f1"]


def test_a_grid_is_all_combinations_and_the_rest_stays():
    settings = FineTuningSettings(epochs=7, patience=2)
    found = search.grid(settings, ["learning_rate=1e-4,3e-4", "seed=1,2,1"])
    assert [(one.learning_rate, one.seed) for one in found] == [
        (1e-4, 1), (1e-4, 2), (3e-4, 1), (3e-4, 2)]
    assert {(one.epochs, one.patience) for one in found} == {(7, 2)}
    assert search.grid(settings, []) == [settings]


def test_the_papers_grid():
    found = search.grid(FineTuningSettings(), ["paper"])
    assert len(found) == 3 * 10 * 9
    assert {one.batch_size for one in found} == {16, 32, 48}
    assert {one.epochs for one in found} == set(range(2, 11))
    assert {one.learning_rate for one in found} == {
        1e-5, 2e-5, 3e-5, 4e-5, 5e-5, 6e-5, 7e-5, 8e-5, 9e-5, 1e-4}


@pytest.mark.parametrize(("given", "message"), [
    ("seed=1,2", r"grid is one text; give a list, such as \['seed=1,2'\]"),
    (["rate=1"], "grid rate=1 should be NAME=VALUES with one of learning_rate, "),
    (["papers"], "grid papers should be NAME=VALUES"),
    (["epochs=2.5"], "grid epochs=2.5: invalid literal"),
    (["seed=1,"], "grid seed=1,: invalid literal"),
    (["seed=1", "seed=2"], "grid seed=2 gives seed a second time"),
    (["paper", "epochs=2"], "grid epochs=2 gives epochs a second time"),
    (["epochs=0"], "epochs should be at least 1, and is 0"),
    (["batch_size=0"], "batch_size should be at least 1"),
    (["learning_rate=nan"], "learning_rate should be above 0, and is nan"),
    (["learning_rate=-1"], "learning_rate should be above 0"),
    (["warmup_fraction=1"], r"warmup_fraction should be in \[0, 1\)"),
    (["ema_momentum=1"], r"ema_momentum should be in \[0, 1\)"),
    (["weight_decay=-1"], "weight_decay should be 0 or above"),
    (["length=4"], "length should be a whole number, at least 5"),
    (["patience=0"], "patience should be at least 1"),
    (["precision=float8"], "precision should be one of float32, mixed_bfloat16"),
    (["seed=-1"], "seed should be from 0"),
    (["class_weights=rare"], "class_weights should be one of none, balanced, and is rare"),
    (["metric=f1"], "grid metric=f1 should be NAME=VALUES"),
])
def test_what_is_no_grid_is_refused(given, message):
    with pytest.raises(InputError, match=message):
        search.grid(FineTuningSettings(), given)


@pytest.fixture
def tried():
    return search.grid(FineTuningSettings(), ["learning_rate=1e-4,3e-4", "seed=1,2"])


def scored(scores, calls):
    """A `fine_tune` that gives these scores one after the other; None diverges."""
    def fine_tune(settings, directory):
        score = scores[len(calls)]
        calls.append((settings, directory))
        if score is None:
            raise Diverged("the loss stopped being a number in the first epoch")
        return Result(len(calls), {"f1": score, "recall": 0.5})

    return fine_tune


def test_the_longest_runs_first_since_its_model_may_be_refused(tmp_path):
    calls = []
    tried = search.grid(FineTuningSettings(), ["length=32,64", "patience=1"])
    search.run(scored([0.5, 0.5], calls), tried, tmp_path, print)
    assert [(one.length, one.patience) for one, _ in calls] == [(64, 1), (32, 1)]


def shown(table):
    return [[column.heading for column in table.columns], *map(list, table.rows)]


def test_each_has_a_directory_of_its_own_and_the_best_is_on_top(tried, tmp_path):
    calls, said = [], []
    rows = search.run(scored([0.25, 0.75, None, 0.75], calls), tried, tmp_path, said.append)
    assert [settings for settings, _ in calls] == tried
    assert len({directory for _, directory in calls}) == 4
    assert {directory.parent for _, directory in calls} == {tmp_path}
    assert search.best(rows) is rows[1]
    assert shown(search.table(rows)) == [
        ["learning_rate", "seed", "best epoch", "f1", "recall"],
        ["0.0001", "2", "2", "0.7500", "0.5000"], ["0.0003", "2", "4", "0.7500", "0.5000"],
        ["0.0001", "1", "1", "0.2500", "0.5000"], ["0.0003", "1", "diverged", "", ""]]
    (line,) = said
    assert "seed=1: the loss stopped being a number" in line


@pytest.mark.parametrize("field", dataclasses.fields(FineTuningSettings),
                         ids=lambda field: field.name)
def test_every_setting_has_a_directory_of_its_own(field, tmp_path):
    """One that is missing in the name would end the grid at its second run."""
    settings = FineTuningSettings()
    others = {"class_weights": "balanced", "metric": "macro_f1", "precision": "mixed_bfloat16"}
    changed = dataclasses.replace(settings, **{
        field.name: others.get(field.name, 0.3 if isinstance(field.default, float) else 7)})
    assert changed != settings
    one, other = search.run(scored([0.5, 0.5], []), [settings, changed], tmp_path, print)
    assert one.directory != other.directory


def test_what_is_no_number_is_shown_as_it_is(tmp_path):
    tried = search.grid(FineTuningSettings(), ["class_weights=none,balanced"])
    rows = search.run(scored([0.25, 0.5], []), tried, tmp_path, print)
    assert shown(search.table(rows)) == [
        ["class_weights", "best epoch", "f1", "recall"],
        ["balanced", "2", "0.5000", "0.5000"], ["none", "1", "0.2500", "0.5000"]]


def test_a_grid_of_which_nothing_learns_is_said(tried, tmp_path):
    with pytest.raises(Diverged, match="every run of the grid .* lower the learning rates"):
        search.run(scored([None] * 4, []), tried, tmp_path, lambda line: None)


def test_other_errors_end_it(tried, tmp_path):
    def fine_tune(settings, directory):
        raise InputError("no such file")

    with pytest.raises(InputError, match="no such file"):
        search.run(fine_tune, tried, tmp_path, lambda line: None)
