"""The picture of a run's losses: what is drawn, read back from the figure's own data."""

import json

import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.training import curves


def line(split, stage, tokens, **losses):
    return {"split": split, "stage": stage, "stage_index": 0, "step": 1, "tokens": tokens,
            "tokens_per_second": 1.0, "gradient_norm": 1.0, **losses}


def test_losses_stand_at_the_tokens_seen_and_validation_where_its_stage_ended(
        tmp_path, monkeypatch):
    drawn = {}
    from matplotlib.axes import Axes

    plot = Axes.plot

    def remember(axes, xs, ys, *rest, **options):
        drawn.setdefault(options.get("label", "train"), []).append((list(xs), list(ys)))
        return plot(axes, xs, ys, *rest, **options)

    monkeypatch.setattr(Axes, "plot", remember)
    validation = line("validation", "first", 0, loss=1.5)
    del validation["tokens"]
    curves.draw([line("train", "first", 1e6, loss=3.0), line("train", "first", 1e6, loss=2.0),
                 validation, line("train", "second", 2e6, loss=4.0, attention=5.0)],
                tmp_path / "curves.png")
    assert drawn["train"] == [([1.0, 2.0], [3.0, 2.0]), ([4.0], [4.0]), ([], []), ([4.0], [5.0])]
    assert drawn["validation"] == [([2.0], [1.5]), ([], [])]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_metrics_that_are_none_are_refused(tmp_path):
    path = tmp_path / "metrics.jsonl"
    with pytest.raises(InputError, match="cannot be read as metrics"):
        curves.read(path)
    path.write_text("")
    with pytest.raises(InputError, match="no metrics yet"):
        curves.read(path)
    line = {"split": "train", "stage": "one", "stage_index": 0, "step": 1, "loss": 0.5}
    path.write_text(json.dumps(line) + "\n")
    assert curves.read(path) == [line]
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, "step": "2"}) + "\n")
    with pytest.raises(InputError, match=r"metrics\.jsonl, line 2, step: expected int, got str"):
        curves.read(path)


def test_panels_of_dev_scores_have_the_order_of_their_line(tmp_path, monkeypatch):
    from matplotlib.axes import Axes

    labels = []
    monkeypatch.setattr(Axes, "set_ylabel", lambda _, label: labels.append(label))
    scores = {name: 0.5 for name in ("f1", "accuracy", "pearson", "exact_match", "matthews", "mcc",
                                     "spearman", "recall", "precision", "macro_f1")}
    curves.draw([line("train", "first", 1e6, loss=3.0), line("dev", "first", 0, **scores)],
                tmp_path / "curves.png")
    assert [label for label in labels if label.startswith("dev ")] == [
        f"dev {name.replace('_', ' ')}" for name in scores]
