"""Published: the tables of the field as data, one record for each row of a table."""

from mobilebert_tf.export.comparison.figures import Figures
from mobilebert_tf.export.comparison.published_table import PublishedTable

_GLUE = ("cola", "sst2", "mrpc", "stsb", "qqp", "mnli_m", "mnli_mm", "qnli", "rte")
_SQUAD = ("squad1_em", "squad1_f1", "squad2_em", "squad2_f1")

MOBILEBERT = PublishedTable(
    name="MobileBERT, Table 4", where="arXiv:2004.02984", split="test", columns=_GLUE,
    average="leaderboard", speed="ms of a Pixel 4 phone: float32, four threads, length 128")
MOBILEBERT_SQUAD = PublishedTable(
    name="MobileBERT, Table 5", where="arXiv:2004.02984", split="dev", columns=_SQUAD)
BERT = PublishedTable(
    name="BERT, Table 1", where="arXiv:1810.04805", split="test", columns=_GLUE,
    average="plain_nine")
TINYBERT = PublishedTable(
    name="TinyBERT, Table 1", where="arXiv:1909.10351, final version", split="test", columns=_GLUE,
    average="plain_nine", speed="times as fast as BERT-base on one K80 GPU")
COMPACT = PublishedTable(
    name="google-research/bert, README", where="its page, on the models of arXiv:1908.08962",
    split="test", columns=(*_GLUE, "wnli"), average="leaderboard")
DISTILBERT = PublishedTable(
    name="DistilBERT, Table 1", where="arXiv:1910.01108", split="dev",
    columns=("cola", "sst2", "mrpc", "stsb", "qqp", "mnli_m", "qnli", "rte", "wnli"),
    average="dev_macro",
    speed="seconds of a CPU, at batch 1, for the dev set of STS-B")
MINILM = PublishedTable(
    name="MiniLM", where="arXiv:2002.10957 and the card of MiniLM-L12-H384-uncased", split="dev",
    columns=("cola", "sst2", "mrpc", "qqp", "mnli_m", "qnli", "rte", "squad2_f1"))
PKD = PublishedTable(
    name="BERT-PKD, result files", where="the code of arXiv:1908.09355", split="dev",
    columns=("sst2", "mrpc", "qqp", "mnli_m", "qnli", "rte"))


def _row(system, source, scores, average=None, *, other_scores=(), **values):
    """A record whose scores are in the order of its source's columns; None is a dash."""
    return Figures(
        system=system, source=source, average=average, other_scores=dict(other_scores),
        scores={task: score for task, score in zip(source.columns, scores, strict=True)
                if score is not None}, **values)


def _compact(system, scores, average, mrpc, stsb, qqp):
    return _row(system, COMPACT, scores, average,
                other_scores={"mrpc": mrpc, "stsb": stsb, "qqp": qqp})


# The rows that are shown first are those that the summary takes, unless a footnote corrects them.
PUBLISHED = (
    _row("bert_base", MOBILEBERT, (52.1, 93.5, 88.9, 85.8, 71.2, 84.6, 83.4, 90.5, 66.4), 78.3,
         other_scores={"mrpc": 84.8, "stsb": 87.1, "qqp": 89.2, "wnli": 65.1},
         parameters=109e6, flops=22.5e9, speed="342",
         footnotes=("bert_base_second_metrics",)),
    _row("bert_pkd_6l", MOBILEBERT, (None, 92.0, 85.0, None, 70.7, 81.5, 81.0, 89.0, 65.5),
         parameters=66.5e6, flops=11.3e9),
    _row("bert_pkd_4l", MOBILEBERT, (24.8, 89.4, 82.6, 79.8, 70.2, 79.9, 79.3, 85.1, 62.3),
         parameters=52.2e6, flops=7.6e9),
    _row("bert_pkd_3l", MOBILEBERT, (None, 87.5, 80.7, None, 68.1, 76.7, 76.3, 84.7, 58.2),
         parameters=45.3e6, flops=5.7e9),
    _row("distilbert_6l", MOBILEBERT, (None, 92.0, 85.0, None, 70.7, 81.5, 81.0, 89.0, 65.5),
         parameters=62.2e6, flops=11.3e9, footnotes=("distilbert_row",), is_wrong=True),
    _row("distilbert_4l", MOBILEBERT, (32.8, 91.4, 82.4, 76.1, 68.5, 78.9, 78.0, 85.2, 54.1),
         parameters=52.2e6, flops=7.6e9),
    _row("tinybert_4l", MOBILEBERT, (43.3, 92.6, 86.4, 79.9, 71.3, 82.5, 81.8, 87.7, 62.9), 75.4,
         parameters=14.5e6, flops=1.2e9, footnotes=("tinybert_first_version",), is_wrong=True),
    _row("mobilebert_tiny", MOBILEBERT, (46.7, 91.7, 87.9, 80.1, 68.9, 81.5, 81.6, 89.5, 65.1),
         75.8, parameters=15.1e6, flops=3.1e9, speed="40",
         footnotes=("mobilebert_tiny_averages",)),
    _row("mobilebert", MOBILEBERT, (50.5, 92.8, 88.8, 84.4, 70.2, 83.3, 82.6, 90.6, 66.2), 77.7,
         parameters=25.3e6, flops=5.7e9, speed="62"),
    _row("mobilebert_no_opt", MOBILEBERT, (51.1, 92.6, 88.8, 84.8, 70.5, 84.3, 83.4, 91.6, 70.4),
         78.5, parameters=25.3e6, flops=5.7e9, speed="192"),

    _row("bert_large", BERT, (60.5, 94.9, 89.3, 86.5, 72.1, 86.7, 85.9, 92.7, 70.1), 82.1),
    _row("bert_base", BERT, (52.1, 93.5, 88.9, 85.8, 71.2, 84.6, 83.4, 90.5, 66.4), 79.6),

    _row("bert_base", TINYBERT, (52.8, 93.4, 87.5, 85.2, 71.1, 83.9, 83.4, 90.9, 67.0), 79.5,
         parameters=109e6, flops=22.5e9, speed="1.0"),
    _row("bert_tiny_312", TINYBERT, (19.5, 87.6, 83.2, 77.1, 66.5, 75.4, 74.9, 84.8, 62.6), 70.2,
         parameters=14.5e6, flops=1.2e9),
    _row("bert_small", TINYBERT, (27.8, 89.7, 83.4, 77.0, 68.1, 77.6, 77.0, 86.4, 61.8), 72.1,
         parameters=29.2e6, flops=3.4e9),
    _row("bert_pkd_4l", TINYBERT, (24.8, 89.4, 82.6, 79.8, 70.2, 79.9, 79.3, 85.1, 62.3), 72.6,
         parameters=52.2e6, flops=7.6e9, speed="3.0"),
    _row("distilbert_4l", TINYBERT, (32.8, 91.4, 82.4, 76.1, 68.5, 78.9, 78.0, 85.2, 54.1), 71.9,
         parameters=52.2e6, flops=7.6e9, speed="3.0"),
    _row("mobilebert_tiny", TINYBERT, (46.7, 91.7, 87.9, 80.1, 68.9, 81.5, 81.6, 89.5, 65.1),
         77.0, parameters=15.1e6, flops=3.1e9, footnotes=("mobilebert_tiny_averages",)),
    _row("tinybert_4l", TINYBERT, (44.1, 92.6, 86.4, 80.4, 71.3, 82.5, 81.8, 87.7, 66.6), 77.0,
         parameters=14.5e6, flops=1.2e9, speed="9.4"),
    _row("pd_6l", TINYBERT, (None, 91.8, 86.8, None, 70.4, 82.8, 82.2, 88.9, 65.3),
         parameters=67.0e6, flops=11.3e9, footnotes=("pd_transfer",)),
    _row("distilbert_6l", TINYBERT, (49.0, 92.5, 86.9, 81.3, 70.1, 82.6, 81.3, 88.9, 58.4), 76.8,
         parameters=67.0e6, flops=11.3e9),
    _row("tinybert_6l", TINYBERT, (51.1, 93.1, 87.3, 83.7, 71.6, 84.6, 83.2, 90.4, 70.0), 79.4,
         parameters=67.0e6, flops=11.3e9),

    _compact("bert_tiny", (0.0, 83.2, 81.1, 73.6, 62.2, 70.2, 70.3, 81.5, 57.2, 62.3), 64.2,
             mrpc=71.1, stsb=74.3, qqp=83.4),
    _compact("bert_mini", (0.0, 85.9, 81.1, 73.3, 66.4, 74.8, 74.3, 84.1, 57.9, 62.3), 65.8,
             mrpc=71.8, stsb=75.4, qqp=86.2),
    _compact("bert_small", (27.8, 89.7, 83.4, 77.0, 68.1, 77.6, 77.0, 86.4, 61.8, 62.3), 71.2,
             mrpc=76.2, stsb=78.8, qqp=87.0),
    _compact("bert_medium", (38.0, 89.6, 86.6, 78.4, 69.6, 80.0, 79.1, 87.7, 62.2, 62.3), 73.5,
             mrpc=81.6, stsb=80.4, qqp=87.9),

    _row("bert_base", DISTILBERT, (56.3, 92.7, 88.6, 89.0, 89.6, 86.7, 91.8, 69.3, 53.5), 79.5,
         parameters=110e6, speed="668", footnotes=("bert_base_mnli",)),
    _row("distilbert_6l", DISTILBERT, (51.3, 91.3, 87.5, 86.9, 88.5, 82.2, 89.2, 59.9, 56.3), 77.0,
         parameters=66e6, speed="410", footnotes=("distilbert_mnli",)),

    _row("bert_base", MINILM, (58.9, 93.2, 87.3, 91.3, 84.5, 91.7, 68.6, 76.8), parameters=109e6),
    _row("minilm_6l_768", MINILM, (None, 92.0, None, None, 84.0, None, None, 76.4)),
    _row("minilm_12l_384", MINILM, (58.5, 93.0, 89.5, 91.3, 85.7, 91.5, 73.3, 81.7),
         parameters=33e6),

    _row("bert_base", PKD, (93.00, 87.50, 91.04, 83.74, 91.14, 72.92)),
    _row("bert_pkd_6l", PKD, (91.06, 84.56, 90.83, 82.31, 89.66, 68.23), footnotes=("pkd_map",)),
    _row("bert_pkd_3l", PKD, (88.07, 76.23, 89.49, 77.65, 85.63, 62.45), footnotes=("pkd_map",)),

    _row("bert_base", MOBILEBERT_SQUAD, (None, 88.5, None, 77.1)),
    _row("distilbert_6l", MOBILEBERT_SQUAD, (79.1, 86.9, None, None),
         footnotes=("distilbert_d",)),
    _row("mobilebert_tiny", MOBILEBERT_SQUAD, (81.4, 88.6, 74.4, 77.1)),
    _row("mobilebert", MOBILEBERT_SQUAD, (82.9, 90.0, 76.2, 79.2)),
    _row("mobilebert_no_opt", MOBILEBERT_SQUAD, (83.4, 90.3, 77.6, 80.2)),
)
