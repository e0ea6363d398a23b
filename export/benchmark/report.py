"""Report: records as a table, beside what the paper measured on its phone."""

from rich import box
from rich.table import Table

from . import compare

# Sun et al. 2020 (arXiv:2004.02984): ms, float32, four threads of a Pixel 4 phone, length 128.
_PAPER_MS = {"bert_base": 342, "mobilebert_no_opt": 192, "mobilebert": 62, "mobilebert_tiny": 40}


def table(records) -> Table:
    """One row a record; how many times as fast as BERT-base, beside the paper's."""
    first, lengths = records[0], {record.length for record in records}
    result = Table(
        title=f"Length {', '.join(map(str, sorted(lengths)))}, {first.threads} threads, "
              f"{first.runs} runs in turn",
        title_justify="left", header_style="bold", box=box.SIMPLE_HEAD, padding=(0, 1))
    result.add_column("model", overflow="fold", min_width=10)
    result.add_column("recipe", no_wrap=True)
    for heading in ("median\nms", "p95\nms", "file\nMB", "peak\nMB", "over\nBERT",
                    "paper,\nPixel 4"):
        result.add_column(heading, justify="right", no_wrap=True)
    for record, speed_up in zip(records, compare.speed_ups(records), strict=True):
        memory = record.peak_memory_mb
        paper = _PAPER_MS.get(record.name)
        # The length, only where files of other lengths were given.
        name = record.name if len(lengths) == 1 else f"{record.name} ({record.length})"
        result.add_row(
            name, record.recipe or "-", f"{record.median_ms:.2f}", f"{record.p95_ms:.2f}",
            f"{record.bytes / 1e6:.1f}", "-" if memory is None else f"{memory:.0f}",
            "-" if speed_up is None else f"{speed_up:.2f}x",
            "-" if paper is None else f"{_PAPER_MS[compare.BASELINE] / paper:.1f}x")
    return result


def notes(records) -> list[str]:
    """What must be said beside the table, a sentence or two each."""
    result = [f"Measured on this machine ({records[0].machine}) with LiteRT "
              f"{records[0].versions['ai-edge-litert']}; nothing here is a phone's latency.",
              "'over BERT' is how many times as fast as BERT-base; the paper's figures are of "
              "float32 on four threads of a Pixel 4 phone.",
              "Peak MB is how much a process that opens and runs the file grows."]
    if any(record.random_weights for record in records):
        result.append("Presets have random weights: their speed and size are a trained model's, "
                      "their answers are not.")
    return result
