"""AugmentationSettings: how many rows to make, and how much of a text to replace."""

import dataclasses

from mobilebert_tf.checks import MOST_SEED, check_types
from mobilebert_tf.errors import InputError

# TinyBERT's data_augmentation.py, `default_params`. Its key for STS-B is misspelt there and gives
# the general default, which is the same number. For SQuAD: the model card of
# deepset/tinybert-6l-768d-squad2.
TASK_DRAWS = {"cola": 30, "mnli": 10, "mnli_mismatched": 10, "mrpc": 30, "sst2": 20, "stsb": 30,
              "qqp": 10, "qnli": 20, "rte": 30, "squad": 20, "squad_v2": 20}
OTHER_DRAWS = 30


@dataclasses.dataclass(frozen=True)
class AugmentationSettings:
    """How to augment a table.

    The defaults are those of TinyBERT's data_augmentation.py (Jiao et al. 2020, arXiv:1909.10351;
    huawei-noah/Pretrained-Language-Model).

    Args:
      draws: new rows to try for each row (the paper's N_a, the code's N); rows that repeat another
        are dropped. None for the published number of the task, and 30 for other tables.
      candidates: the words that a word may be replaced by, before word ends are dropped (the
        paper's K, the code's M).
      probability: of replacing a word (the paper's p_t, the code's p).
      seed: of the draws. The draws of a row depend only on the seed, the row's number and the
        number of the draw.
      as_published: whether to make pairs as the published code does: new first texts with the
        original second text, then new second texts with the last new first text. It also keeps
        special pieces such as [UNK] as candidates, and has no candidates behind the model's last
        position. Otherwise both texts of a pair are drawn, each independently, and long texts are
        read in parts.
    Raises:
      InputError: for a value out of range.
    """

    draws: int | None = None
    candidates: int = 15
    probability: float = 0.4
    seed: int = 1
    as_published: bool = False

    def __post_init__(self):
        check_types(self)
        self._require(self.draws is None or self.draws >= 0, "draws", "0 or above")
        self._require(self.candidates >= 1, "candidates", "at least 1")
        self._require(0 <= self.probability <= 1, "probability", "from 0 to 1")
        self._require(0 <= self.seed <= MOST_SEED, "seed", f"from 0 to {MOST_SEED}")

    def for_task(self, name: str | None) -> "AugmentationSettings":
        """Return the settings with the number of draws for the task of this name; None: of any."""
        if self.draws is not None:
            return self
        return dataclasses.replace(self, draws=TASK_DRAWS.get(name, OTHER_DRAWS))

    def _require(self, condition, name, rule):
        if not condition:
            raise InputError(f"{name} should be {rule}, and is {getattr(self, name)}")
