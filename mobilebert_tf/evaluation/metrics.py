"""The metrics of each task, as its official scorer has them."""

import dataclasses
import statistics
from collections.abc import Callable, Mapping

from mobilebert_tf.errors import InputError
from mobilebert_tf.evaluation.classification import accuracy, f1, macro_f1, matthews
from mobilebert_tf.evaluation.regression import pearson, spearman


@dataclasses.dataclass(frozen=True)
class Metrics:
    """Scores by name, one of which says which of two models is better.

    Args:
      main: that one's name: of a function, or else of the unweighted mean of all functions, by
        which GLUE ranks tasks with two metrics (Wang et al. 2019, arXiv:1804.07461).
      functions: name -> function of (predicted, labels); 1 is perfect.
    """

    main: str
    functions: Mapping[str, Callable]

    def scores(self, predicted, labels) -> dict[str, float]:
        """Every score by its name, the main one first.

        Args:
          predicted, labels: class ids, of which -1 is a wrong answer; or numbers.
        Raises:
          ValueError, InputError: see `classification` and `regression`.
        """
        found = {name: function(predicted, labels) for name, function in self.functions.items()}
        mean = {} if self.main in found else {self.main: statistics.fmean(found.values())}
        return mean | found


# Macro F1 shows what accuracy hides: a rare class that is never found.
CLASSIFICATION = Metrics("accuracy", {"accuracy": accuracy, "macro_f1": macro_f1})
REGRESSION = Metrics("pearson_and_spearman", {"pearson": pearson, "spearman": spearman})

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
    """The metrics of a task; InputError where it has none: another's would mean nothing."""
    if task_name not in _OF_TASKS:
        raise InputError(f"the task {task_name!r} has no metric; known are {', '.join(_OF_TASKS)}")
    return _OF_TASKS[task_name]
