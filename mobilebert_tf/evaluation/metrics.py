"""The metrics of each task, as its official scorer has them."""

import dataclasses
import statistics
from collections.abc import Callable, Mapping

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation import tagging
from mobilebert_tf.evaluation.classification import accuracy, f1, macro_f1, matthews
from mobilebert_tf.evaluation.multi_label import macro_f1 as multi_label_macro_f1
from mobilebert_tf.evaluation.multi_label import micro_f1
from mobilebert_tf.evaluation.regression import pearson, spearman


@dataclasses.dataclass(frozen=True)
class Metrics:
    """Scores by name. One of them, `main`, says which of two models is better.

    Args:
      main: a function's name, or the name of the unweighted mean of all functions, by which GLUE
        ranks tasks with two metrics (Wang et al. 2019, arXiv:1804.07461).
      functions: (predicted, labels) -> score, by name; 1 is perfect.
      others: the names of scores that the kind or `scorer` computes, and not `functions`.
      scorer: (predicted, labels) -> several scores by name, in place of functions.
      epoch: the name of the score that chooses the best epoch in fine-tuning; None for `main`.
    """

    main: str
    functions: Mapping[str, Callable] = dataclasses.field(default_factory=dict)
    others: tuple[str, ...] = ()
    scorer: Callable | None = None
    epoch: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all scores that may choose the best epoch; the default is first."""
        return tuple(dict.fromkeys(
            (self.epoch or self.main, self.main, *self.functions, *self.others)))

    def scores(self, predicted, labels) -> dict[str, float]:
        """Compute every score by its name, the main one first.

        Args:
          predicted, labels: what the functions take: class ids (-1 is a wrong answer), numbers, or
            0 and 1 per label.
        Raises:
          ValueError, InputError: see `classification` and `regression`.
        """
        if self.scorer is not None:
            return self.scorer(predicted, labels)
        found = {name: function(predicted, labels) for name, function in self.functions.items()}
        mean = {} if self.main in found else {self.main: statistics.fmean(found.values())}
        return mean | found


# Macro F1 shows what accuracy hides: a rare class that is never found.
CLASSIFICATION = Metrics("accuracy", {"accuracy": accuracy, "macro_f1": macro_f1})
REGRESSION = Metrics("pearson_and_spearman", {"pearson": pearson, "spearman": spearman})
MULTI_LABEL = Metrics("micro_f1", {"micro_f1": micro_f1, "macro_f1": multi_label_macro_f1},
                      others=("best_micro_f1",), epoch="best_micro_f1")
TAGGING = Metrics("f1", others=("precision", "recall"),
                  scorer=lambda predicted, labels: tagging.score(labels, predicted))
SQUAD = Metrics("f1", others=("exact_match",))
# F1 at the model's threshold is what users get. Unless the user names a metric, an epoch is judged
# at its best threshold, which is then made the model's.
SQUAD_V2 = Metrics("f1", others=("best_f1", "best_exact", "exact"), epoch="best_f1")

_ACCURACY = Metrics("accuracy", {"accuracy": accuracy})
_ACCURACY_AND_F1 = Metrics("accuracy_and_f1", {"accuracy": accuracy, "f1": f1})

_OF_TASKS = {
    "cola": Metrics("matthews", {"matthews": matthews}),
    "sst2": _ACCURACY,
    "mrpc": _ACCURACY_AND_F1,
    "stsb": REGRESSION,
    "qqp": _ACCURACY_AND_F1,
    "mnli": _ACCURACY,
    "mnli_mismatched": _ACCURACY,
    "qnli": _ACCURACY,
    "rte": _ACCURACY,
    "wnli": _ACCURACY,
}


def of(task_name: str) -> Metrics:
    """Return the metrics of a GLUE task; raise InputError for any other task."""
    if task_name not in _OF_TASKS:
        raise InputError(f"the task {task_name!r} has no metric; known are {', '.join(_OF_TASKS)}")
    return _OF_TASKS[task_name]
