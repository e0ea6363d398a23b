"""Systems: the field, each system at its published size."""

import dataclasses
import difflib
from collections.abc import Sequence

from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True)
class System:
    """A system of the field.

    Args:
      label: in tables and charts.
      preset: its encoder. Systems of one architecture name one preset, and so share a measurement.
      is_task_specific: whether a fine-tuned teacher takes part in its fine-tuning; marked by an
        asterisk.
    """

    label: str
    preset: str
    is_task_specific: bool = False


SYSTEMS = {
    "bert_large": System("BERT-large", "bert_large"),
    "bert_base": System("BERT-base", "bert_base"),
    "bert_medium": System("BERT-medium", "bert_medium"),
    "bert_small": System("BERT-small", "bert_small"),
    "bert_mini": System("BERT-mini", "bert_mini"),
    "bert_tiny": System("BERT-tiny", "bert_tiny"),
    "bert_tiny_312": System("BERT-tiny of TinyBERT's paper", "tinybert_4l"),
    "bert_pkd_6l": System("BERT-PKD 6L", "bert_base_6l", is_task_specific=True),
    "bert_pkd_4l": System("BERT-PKD 4L", "bert_base_4l", is_task_specific=True),
    "bert_pkd_3l": System("BERT-PKD 3L", "bert_base_3l", is_task_specific=True),
    "pd_6l": System("PD 6L", "bert_base_6l"),
    "distilbert_6l": System("DistilBERT 6L", "distilbert"),
    "distilbert_4l": System("DistilBERT 4L", "distilbert_4l"),
    "tinybert_6l": System("TinyBERT 6L", "bert_base_6l", is_task_specific=True),
    "tinybert_4l": System("TinyBERT 4L", "tinybert_4l", is_task_specific=True),
    "minilm_6l_768": System("MiniLM 6x768", "bert_base_6l"),
    "minilm_12l_384": System("MiniLM 12x384", "minilm_12l_384"),
    "minilm_6l_384": System("MiniLM 6x384", "minilm_6l_384"),
    "mobilebert_no_opt": System("MobileBERT w/o OPT", "mobilebert_no_opt"),
    "mobilebert": System("MobileBERT", "mobilebert"),
    "mobilebert_tiny": System("MobileBERT-TINY", "mobilebert_tiny"),
}


def chosen(names: Sequence[str] | None) -> dict[str, System]:
    """Return the systems of these names in the field's order; all of them for None.

    Raises:
      InputError: for an unknown name, with the names that are near.
    """
    for name in names or ():
        if name not in SYSTEMS:
            near = difflib.get_close_matches(name, SYSTEMS, n=3) or SYSTEMS
            raise InputError(f"unknown system {name!r}; did you mean {', '.join(near)}?")
    return {name: system for name, system in SYSTEMS.items() if names is None or name in names}
