"""MobileBERT for TensorFlow and Keras: the model family, its training, and its way to the phone."""

from mobilebert_tf import lazy

__version__ = "0.1.0"

_LOCATIONS = {
    "AugmentationSettings": "augmentation.settings",
    "Cascade": "inference.cascade",
    "Classifier": "models.classifier",
    "DistillationPlan": "training.distillation_plan",
    "Encoder": "models.encoder",
    "EncoderConfig": "config",
    "FewShotSettings": "finetuning.few_shot_settings",
    "FineTuningSettings": "finetuning.settings",
    "InputError": "errors",
    "Pretrainer": "models.pretrainer",
    "PretrainingPlan": "training.pretraining_plan",
    "QuestionAnswerer": "models.question_answerer",
    "SentenceEncoder": "models.sentence_encoder",
    "TokenClassifier": "models.token_classifier",
    "RecipePlan": "training.recipes.recipe_plan",
    "Tokenizer": "text.tokenizer",
    "augment": "augmentation.augment",
    "augment_examples": "augmentation.augment_examples",
    "JobSettings": "inference.batch.job_settings",
    "embed": "inference.predict",
    "embed_files": "inference.batch.over_files",
    "evaluate": "inference.evaluate",
    "export_model": "export.export_model",
    "fine_tune": "finetuning.fine_tune",
    "package": "export.package.package",
    "package_web": "export.package.web_folder",
    "predict": "inference.predict",
    "predict_files": "inference.batch.over_files",
    "rank": "inference.predict",
    "score_files": "inference.batch.over_files",
    "search": "inference.search",
    "convert": "conversion",
    "from_pretrained": "pretrained",
    "TrainingSettings": "training.settings",
    "distill": "training.runs",
    "distill_task": "training.task.distill_task",
    "TaskPlan": "training.task.task_plan",
    "pretrain": "training.runs",
    "checkpoints": "", "counting": "", "export": "", "presets": "", "text": "",
}
__all__ = ["__version__", *_LOCATIONS]
__getattr__ = lazy.attributes(__name__, _LOCATIONS)


def __dir__():
    return sorted(__all__)
