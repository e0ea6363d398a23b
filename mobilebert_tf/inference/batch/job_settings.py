"""JobSettings: how a job over files of texts runs."""

import dataclasses
from typing import Literal

from mobilebert_tf import machine
from mobilebert_tf.checks import check_count, check_length, check_types
from mobilebert_tf.errors import InputError


@dataclasses.dataclass(frozen=True, kw_only=True)
class JobSettings:
    """How a job reads texts, runs the model and writes answers.

    Args:
      format: of the shards: "jsonl" or "parquet".
      pairs: whether each row has two texts: with a tab between them, or in `second_text` of a
        .jsonl file.
      second_text: the second text of all rows; None if they have their own, or none.
      shard_rows: most rows of a shard, which are in memory together.
      length: the most tokens of a row of a Keras model; None for its own.
      threads: of the interpreter of a worker process.
      workers: processes of Beam's local runner; never more than there are shards.
      beam_flags: Apache Beam's own flags, such as `--runner`.
    Raises:
      InputError: if a value is out of range, `second_text` is not valid Unicode, or `pairs` and
        `second_text` are both given.
    """

    format: Literal["jsonl", "parquet"] = "jsonl"
    pairs: bool = False
    second_text: str | None = None
    shard_rows: int = 8192
    length: int | None = None
    threads: int = 1
    workers: int = dataclasses.field(default_factory=machine.usable_cores)
    beam_flags: tuple[str, ...] = ()

    def __post_init__(self):
        check_types(self)
        check_count(shard_rows=self.shard_rows, threads=self.threads, workers=self.workers)
        check_length(self.length)
        if self.second_text is not None:
            try:
                self.second_text.encode()
            except UnicodeEncodeError as error:
                raise InputError("second_text has half a surrogate pair, which UTF-8 cannot "
                                 "hold") from error
        if self.pairs and self.second_text is not None:
            raise InputError("pairs have their own second texts; give pairs or second_text")

    @property
    def description(self) -> dict:
        """The settings that change the output, as JSON values."""
        return {name: getattr(self, name)
                for name in ("format", "pairs", "second_text", "shard_rows")}
