import pytest

from mobilebert_tf.errors import InputError
from mobilebert_tf.finetuning.settings import FineTuningSettings
from mobilebert_tf.tasks import catalogue

OWN = {"text": "body", "label": "folder"}


@pytest.mark.parametrize(("name", "options", "metrics"), [
    ("classification", OWN, ("accuracy", "macro_f1")), ("cola", None, ("matthews",)),
    ("multi_label", OWN, ("best_micro_f1", "micro_f1", "macro_f1")),
    ("mrpc", None, ("accuracy_and_f1", "accuracy", "f1")),
    ("regression", OWN, ("pearson_and_spearman", "pearson", "spearman")),
    ("tagging", None, ("f1", "precision", "recall")), ("squad", None, ("f1", "exact_match")),
    ("squad_v2", None, ("best_f1", "f1", "best_exact", "exact"))])
def test_every_score_of_a_task_may_choose_the_epoch_and_no_other(name, options, metrics):
    task = catalogue.of(name, options)
    assert task.metrics.names == metrics
    assert task.metrics.main == metrics[name in ("multi_label", "squad_v2")]
    for metric in (None, *metrics):
        FineTuningSettings(metric=metric).check(task)
    with pytest.raises(InputError, match=f"^the task {name} has no metric 'f2'; known are "
                                         f"{', '.join(metrics)}$"):
        FineTuningSettings(metric="f2").check(task)


def test_class_weights_are_for_classes_of_texts():
    FineTuningSettings(class_weights="balanced").check(catalogue.of("classification", OWN))
    FineTuningSettings(class_weights="balanced").check(catalogue.of("sst2"))
    for name in ("tagging", "stsb", "squad"):
        with pytest.raises(InputError, match=f"one class per text, and the task {name} is "):
            FineTuningSettings(class_weights="balanced").check(catalogue.of(name))
