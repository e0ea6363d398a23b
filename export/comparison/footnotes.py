"""Footnotes: errors of the published tables, and what their numbers do not say."""

FOOTNOTES = {
    "bert_base_second_metrics":
        "The leaderboard average of BERT-base is computed with MRPC accuracy 84.8, STS-B Pearson "
        "87.1, QQP accuracy 89.2 and WNLI 65.1, which are not in MobileBERT's Table 4. They are "
        "the GLUE leaderboard's and were not looked up again; that they give 78.34, as printed, "
        "supports them.",
    "distilbert_row":
        "MobileBERT's Table 4 repeats the row of BERT-PKD 6L under the name of DistilBERT 6L in "
        "every column, and gives it 62.2M parameters. TinyBERT's Table 1 has DistilBERT's own "
        "row; the released model has 66,362,880 parameters.",
    "tinybert_first_version":
        "MobileBERT's Table 4 has TinyBERT's row of the first version of its paper. The final "
        "version prints CoLA 44.1, STS-B 80.4, RTE 66.6 and an average of 77.0, which is another "
        "average than the 75.4 here.",
    "mobilebert_tiny_averages":
        "MobileBERT-TINY is 75.8 by MobileBERT's average and 77.0 by TinyBERT's: one model, with "
        "the same columns.",
    "bert_base_mnli":
        "DistilBERT's Table 1 prints 86.7 for MNLI of BERT-base. Only 84.7, which DistilBERT's "
        "README has, gives the printed average of 79.5.",
    "distilbert_mnli":
        "82.2 for MNLI is DistilBERT's paper, its README says 82.1; both give 77.0.",
    "pd_transfer":
        "PD distils on unlabelled text of the task's domain, with a teacher of the task.",
    "pkd_map":
        "The six-layer student learns from the teacher's blocks 1, 3, 5, 7, 9 (skip), the "
        "three-layer one from 9, 10 (last); each figure is the best of the authors' runs.",
    "distilbert_d":
        "DistilBERT's SQuAD figures are those with a second distillation in fine-tuning; without "
        "it, EM 77.7 and F1 85.8.",
}
