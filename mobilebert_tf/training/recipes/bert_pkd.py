"""BERT-PKD: labels, soft labels and the [CLS] states of blocks, while fine-tuning."""

import dataclasses

from mobilebert_tf.training.recipes.layer_maps import first_blocks, last, skip
from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.stage_template import StageTemplate

_PAPER = "Sun et al. 2019, arXiv:1908.09355"
_CODE = "the authors' code"

_PATIENT = StageTemplate(
    name="patient", reads="task", losses={"label": 0.3, "soft_label": 0.7, "patience": 500.0},
    layer_map=skip, optimizer="adamw", learning_rate=1e-5, batch_size=32, epochs=4,
    warmup_fraction=0.1, options={"temperature": 10.0, "dropout": True},
    sources={
        "losses": f"{_CODE}: its example for RTE, alpha 0.7 and beta 500; the grids are 0.2, 0.5, "
                  "0.7 and 10, 100, 500, 1000",
        "layer_map": f"{_PAPER}, PKD-skip", "optimizer": _CODE,
        "learning_rate": f"{_CODE}: its example for RTE; the grid is 5e-5, 2e-5, 1e-5",
        "batch_size": _CODE, "epochs": _CODE, "warmup_fraction": _CODE,
        "end_rate": f"{_CODE}: linear to 0",
        "temperature": f"{_CODE}: its example for RTE; the grid is 5, 10, 20", "dropout": _CODE})

BERT_PKD = DistillationRecipe(
    description="labels, soft labels at temperature 10 and normalised [CLS] states of every k-th "
                "block (skip)",
    source=_PAPER, start="teacher_embedding", start_blocks=first_blocks, templates=(_PATIENT,),
    differences=(
        "A student of a preset starts from the first blocks of the teacher, which is fine-tuned; "
        "the authors start from the pre-trained model's. Give a directory to do that.",
        "Soft labels are a mean over rows; the authors' code divides by the classes too, as "
        "`mean_over_classes` does.",
        "Rows are shuffled; the authors' code never shuffles them."))

BERT_PKD_LAST = dataclasses.replace(
    BERT_PKD, description=BERT_PKD.description.replace("every k-th block (skip)",
                                                       "the blocks before the last (last)"),
    templates=(dataclasses.replace(_PATIENT, layer_map=last, sources={
        **_PATIENT.sources, "layer_map": f"{_PAPER}, PKD-last"}),))
