"""PD: pre-train the student itself, then distil soft labels on unlabelled text of the task."""

from mobilebert_tf.training.recipes.recipe import DistillationRecipe
from mobilebert_tf.training.recipes.stage_template import StageTemplate

_PAPER = "Turc et al. 2019, arXiv:1908.08962"
_README = "google-research/bert, README"

PD = DistillationRecipe(
    description="masked words, then soft labels on unlabelled text of the task's domain",
    source=_PAPER, start="random",
    templates=(
        StageTemplate(
            name="pretraining", reads="corpus", losses={"masked_lm": 1.0}, optimizer="adamw",
            learning_rate=1e-4, batch_size=256, epochs=40, warmup_fraction=0.01,
            options={"masking_rate": 0.15, "dropout": True},
            sources={
                "losses": f"{_PAPER}: masked LM of the student itself",
                "optimizer": "BERT, arXiv:1810.04805, appendix A.2",
                "learning_rate": "BERT, arXiv:1810.04805, appendix A.2",
                "batch_size": "BERT, arXiv:1810.04805, appendix A.2",
                "epochs": "BERT, arXiv:1810.04805, appendix A.2: about 40",
                "warmup_fraction": "BERT, arXiv:1810.04805, appendix A.2: 10,000 of 1,000,000",
                "end_rate": "BERT, arXiv:1810.04805, appendix A.2: linear to 0",
                "masking_rate": "BERT, arXiv:1810.04805",
                "dropout": "BERT, arXiv:1810.04805, appendix A.2"}),
        StageTemplate(
            name="distillation", reads="task", losses={"soft_label": 1.0}, optimizer="adamw",
            learning_rate=1e-4, batch_size=32, epochs=4, warmup_fraction=0.1,
            options={"temperature": 1.0, "dropout": True},
            sources={
                "losses": f"{_PAPER}: the teacher's probabilities, no labels",
                "optimizer": _README,
                "learning_rate": f"{_README}: the grid of fine-tuning is 3e-4, 1e-4, 5e-5, 3e-5",
                "batch_size": f"{_README}: the grid of fine-tuning is 8 to 128",
                "epochs": f"{_README}: 4 of fine-tuning", "warmup_fraction": "ours",
                "end_rate": "ours: linear to 0", "temperature": f"{_PAPER}: none",
                "dropout": _README})),
    differences=("No code of the distillation was published.",))
