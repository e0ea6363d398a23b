"""Small directories of Hugging Face: models to save there, and changes of the files."""

import dataclasses
import json

import numpy as np
import safetensors.numpy

import mobilebert_tf as mb

LAYER = "mobilebert.encoder.layer.0"
KEY_BIAS = f"{LAYER}.attention.self.key.bias"
TABLE = "mobilebert.embeddings.word_embeddings.weight"


def change_tensors(directory, change):
    path = directory / "model.safetensors"
    tensors = dict(safetensors.numpy.load_file(path))
    path.unlink()
    safetensors.numpy.save_file(change(tensors), path)
    return directory


def change_config(directory, **fields):
    path = directory / "config.json"
    values = {**json.loads(path.read_text()), **fields}
    path.write_text(json.dumps({key: value for key, value in values.items() if value is not ...}))
    return directory


def assert_same(found, right):
    assert found.keys() == right.keys()
    for name, value in right.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)


KINDS = {"ForPreTraining": lambda encoder: mb.Pretrainer(encoder),
         "ForMaskedLM": lambda encoder: mb.Pretrainer(encoder, next_sentence=False),
         "ForSequenceClassification": lambda encoder: mb.Classifier(encoder, 3, dropout=0.2),
         "ForTokenClassification": lambda encoder: mb.TokenClassifier(encoder, 5, dropout=0.3),
         "ForQuestionAnswering": lambda encoder: mb.QuestionAnswerer(encoder),
         "Model": lambda encoder: encoder}
# transformers cannot hold ib_bert, and holds no_opt with its own epsilons and exact GELU.
CONFIGS = {
    "MobileBert": dataclasses.replace(
        mb.presets.get("micro"), num_blocks=1, num_feed_forwards=2),
    "MobileBert tiny": dataclasses.replace(mb.presets.get("micro_tiny"), num_blocks=1),
    "MobileBert no_opt": dataclasses.replace(
        mb.presets.get("micro_no_opt"), num_blocks=1, num_feed_forwards=2,
        embedding_and_output_norm_epsilon=1e-5),
    "MobileBert pooler": dataclasses.replace(
        mb.presets.get("micro"), num_blocks=1, num_feed_forwards=2, pooler="tanh"),
    "Bert": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1),
    "DistilBert": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                      type_vocab_size=0, pooler="first_token"),
    "DistilBert pooler": dataclasses.replace(mb.presets.get("micro_bert"), num_blocks=1,
                                             type_vocab_size=0, pooler="relu"),
}
