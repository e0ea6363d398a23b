"""Weights from a seed: made alike by the script that runs transformers and by the tests.

Every tensor is a function of its name, shape and seed alone, by integers that PCG64 gives on every
platform, so full-size models need no committed weights. Names and shapes are written down here by
hand, from transformers' state dicts and from Google's checkpoints; the script compares the first
with what transformers has.
"""

import hashlib
import json
import zlib

import numpy as np

SEED = 2004

_MICRO = {
    "vocab_size": 120, "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 40, "hidden_act": "relu", "max_position_embeddings": 40,
    "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12,
    "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.1, "pad_token_id": 0,
}
_MOBILE = {
    "model_type": "mobilebert", "embedding_size": 16, "trigram_input": True,
    "use_bottleneck": True, "intra_bottleneck_size": 24, "use_bottleneck_attention": False,
    "key_query_shared_bottleneck": True, "num_feedforward_networks": 3,
    "normalization_type": "no_norm", "classifier_activation": False,
}
_TINY = {"use_bottleneck_attention": True, "key_query_shared_bottleneck": False,
         "num_feedforward_networks": 2}
_NO_OPT = {"normalization_type": "layer_norm", "hidden_act": "gelu"}
_FULL = {"vocab_size": 30522, "hidden_size": 512, "num_hidden_layers": 24,
         "num_attention_heads": 4, "intermediate_size": 512, "max_position_embeddings": 512,
         "embedding_size": 128, "intra_bottleneck_size": 128, "num_feedforward_networks": 4}


def _mobilebert(head, **fields):
    return {**_MICRO, **_MOBILE, **fields, "architectures": [f"MobileBert{head}"]}


def _bert(head, **fields):
    return {**_MICRO, "model_type": "bert", "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
            **fields, "architectures": [f"Bert{head}"]}


def _distilbert(head, **fields):
    return {"model_type": "distilbert", "vocab_size": 120, "dim": 48, "n_layers": 2, "n_heads": 4,
            "hidden_dim": 40, "activation": "gelu", "max_position_embeddings": 40,
            "initializer_range": 0.02, "dropout": 0.1, "attention_dropout": 0.1,
            "pad_token_id": 0, **fields, "architectures": [f"DistilBert{head}"]}


# Name of the case -> config.json. The sizes of a micro model all differ, so that no two axes can be
# confused.
CASES = {
    "micro_mobilebert_pretraining": _mobilebert("ForPreTraining"),
    "micro_mobilebert_huge_pretraining": _mobilebert("ForPreTraining"),
    "micro_tiny_pretraining": _mobilebert("ForPreTraining", **_TINY),
    "micro_no_opt_pretraining": _mobilebert("ForPreTraining", **_NO_OPT),
    "micro_bert_pretraining": _bert("ForPreTraining"),
    "micro_mobilebert_masked_lm": _mobilebert("ForMaskedLM"),
    "micro_bert_masked_lm": _bert("ForMaskedLM"),
    "micro_mobilebert_classification": _mobilebert("ForSequenceClassification", num_labels=3),
    "micro_mobilebert_pooler_classification": _mobilebert(
        "ForSequenceClassification", num_labels=3, classifier_activation=True),
    "micro_bert_classification": _bert("ForSequenceClassification", num_labels=2),
    "micro_tiny_tagging": _mobilebert("ForTokenClassification", **_TINY, num_labels=5),
    "micro_bert_tagging": _bert("ForTokenClassification", num_labels=5),
    "micro_mobilebert_question_answering": _mobilebert("ForQuestionAnswering"),
    "micro_bert_question_answering": _bert("ForQuestionAnswering"),
    "micro_distilbert_classification": _distilbert(
        "ForSequenceClassification", num_labels=3, seq_classif_dropout=0.2),
    "micro_distilbert_tagging": _distilbert("ForTokenClassification", num_labels=5),
    "micro_distilbert_question_answering": _distilbert("ForQuestionAnswering"),
    "full_mobilebert_pretraining": _mobilebert("ForPreTraining", **_FULL),
    "full_tiny_pretraining": _mobilebert("ForPreTraining", **{**_FULL, **_TINY}),
    "full_bert_base_pretraining": _bert(
        "ForPreTraining", vocab_size=30522, hidden_size=768, num_hidden_layers=12,
        num_attention_heads=12, intermediate_size=3072, max_position_embeddings=512),
}


def config_json(case: str) -> str:
    """config.json of a case, as transformers reads it."""
    fields = dict(CASES[case])
    count = fields.pop("num_labels", None)
    if count:
        fields["id2label"] = {str(index): f"LABEL_{index}" for index in range(count)}
        fields["label2id"] = {f"LABEL_{index}": index for index in range(count)}
    return json.dumps(fields, indent=2)


def batch(case: str) -> dict[str, np.ndarray]:
    """Rows with no, some and much padding, in two segments."""
    fields = CASES[case]
    lengths = (20, 11) if case.startswith("full") else (14, 9, 3)
    longest = max(lengths)
    mask = (np.arange(longest) < np.array(lengths)[:, None]).astype(np.int64)
    types = (np.arange(longest) >= np.array(lengths)[:, None] // 2) * mask
    random = np.random.Generator(np.random.PCG64(SEED))
    ids = random.integers(1, fields["vocab_size"], mask.shape) * mask
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types.astype(np.int64)}


def tensors(case: str) -> dict[str, np.ndarray]:
    """The state dict of a case: transformers' name -> float32 array."""
    made = {name: value(name, shape) for name, shape in huggingface_shapes(CASES[case]).items()}
    if "huge" in case:
        _carry_a_huge_value(made)
    return made


def checksum(arrays: dict[str, np.ndarray]) -> int:
    """Says whether two machines made the same weights."""
    total = 0
    for name in sorted(arrays):
        total = zlib.crc32(np.ascontiguousarray(arrays[name]).tobytes(), total)
    return total


def value(name: str, shape: tuple[int, ...], seed: int = SEED) -> np.ndarray:
    """The tensor of a name, in transformers' or Google's layout.

    Gammas lie around 1, one in twelve is negative and one in twelve tiny; betas and biases are not
    0; kernels are as large as keeps 24 blocks without statistics finite and every sublayer in use.
    """
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    random = np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "little")))
    uniform = 2 * random.random(shape, dtype=np.float32) - 1
    leaf = name.replace("/", ".").rpartition(".")[2]
    if leaf == "gamma" or name.endswith(("LayerNorm.weight", "layer_norm.weight")):
        center = 0.9 if "output.bottleneck" in name.replace("/", ".") else 1.0
        kind = random.integers(0, 12, shape)
        gamma = center + np.float32(0.2) * uniform
        return np.where(kind == 0, -gamma, np.where(kind == 1, gamma / 64, gamma)).astype("f4")
    if len(shape) == 1:
        return np.float32(0.25) * uniform
    if "embeddings" in leaf or "embeddings.weight" in name or name in (
            "cls.predictions.dense.weight", "cls/predictions/extra_output_weights"):
        return uniform
    fan_in = shape[0] if leaf == "kernel" else shape[1]
    gain = 2.0 if "query" in name or "key" in name else 0.6
    return np.float32(gain * np.sqrt(3 / fan_in)) * uniform


def _carry_a_huge_value(made):
    """As in the released weights: -2.5e7 in feature 0 of [CLS], which every kernel reads softly."""
    position = made["mobilebert.embeddings.position_embeddings.weight"]
    position[:, 0] = 0
    position[0, 0] = -2.5e7
    hidden = position.shape[1]
    for name, array in made.items():
        if name.endswith("LayerNorm.weight") and array.shape == (hidden,):
            array[0] = 1 + array[0] / 64
        elif array.ndim == 2 and array.shape[1] == hidden and name.endswith("weight") and not (
                "embeddings" in name or "seq_relationship" in name
                or name == "cls.predictions.dense.weight"):
            array[:, 0] /= 1e7


def _norm(name, features):
    return {f"{name}.LayerNorm.weight": (features,), f"{name}.LayerNorm.bias": (features,)}


def _dense(name, features, units):
    return {f"{name}.weight": (units, features), f"{name}.bias": (units,)}


def huggingface_shapes(fields: dict) -> dict[str, tuple[int, ...]]:
    """Name -> shape of what transformers saves for a config (kernels are (out, in) in torch)."""
    if fields["model_type"] == "distilbert":
        return _distilbert_shapes(fields)
    mobile = fields["model_type"] == "mobilebert"
    prefix = fields["model_type"]
    architecture = fields["architectures"][0]
    hidden, inner = fields["hidden_size"], fields["intermediate_size"]
    columns = fields["embedding_size"] if mobile else hidden
    width = fields["intra_bottleneck_size"] if mobile else hidden
    shapes = {
        f"{prefix}.embeddings.word_embeddings.weight": (fields["vocab_size"], columns),
        f"{prefix}.embeddings.position_embeddings.weight":
            (fields["max_position_embeddings"], hidden),
        f"{prefix}.embeddings.token_type_embeddings.weight": (fields["type_vocab_size"], hidden),
        **_norm(f"{prefix}.embeddings", hidden),
    }
    if mobile:
        shapes |= _dense(f"{prefix}.embeddings.embedding_transformation", 3 * columns, hidden)
    for index in range(fields["num_hidden_layers"]):
        layer = f"{prefix}.encoder.layer.{index}"
        tiny = mobile and fields["use_bottleneck_attention"]
        if mobile:
            for place in ("input", "attention")[:1 if tiny else 2]:
                shapes |= _dense(f"{layer}.bottleneck.{place}.dense", hidden, width)
                shapes |= _norm(f"{layer}.bottleneck.{place}", width)
            shapes |= _dense(f"{layer}.output.bottleneck.dense", width, hidden)
            shapes |= _norm(f"{layer}.output.bottleneck", hidden)
        for part in ("query", "key"):
            shapes |= _dense(f"{layer}.attention.self.{part}", width, width)
        shapes |= _dense(f"{layer}.attention.self.value", width if tiny else hidden, width)
        shapes |= _dense(f"{layer}.attention.output.dense", width, width)
        shapes |= _norm(f"{layer}.attention.output", width)
        stacked = [f"{layer}.ffn.{j}" for j in range(fields.get("num_feedforward_networks", 1) - 1)]
        for stack in [*stacked, layer]:
            shapes |= _dense(f"{stack}.intermediate.dense", width, inner)
            shapes |= _dense(f"{stack}.output.dense", inner, width)
            shapes |= _norm(f"{stack}.output", width)
    sentence = architecture.endswith(("ForPreTraining", "ForSequenceClassification"))
    if sentence and fields.get("classifier_activation", True):
        shapes |= _dense(f"{prefix}.pooler.dense", hidden, hidden)
    if architecture.endswith(("ForPreTraining", "ForMaskedLM")):
        shapes |= _dense("cls.predictions.transform.dense", hidden, hidden)
        shapes |= _norm("cls.predictions.transform", hidden)
        shapes["cls.predictions.bias"] = (fields["vocab_size"],)
        if mobile:
            shapes["cls.predictions.dense.weight"] = (hidden - columns, fields["vocab_size"])
    if architecture.endswith("ForPreTraining"):
        shapes |= _dense("cls.seq_relationship", hidden, 2)
    if architecture.endswith(("ForSequenceClassification", "ForTokenClassification")):
        shapes |= _dense("classifier", hidden, fields["num_labels"])
    if architecture.endswith("ForQuestionAnswering"):
        shapes |= _dense("qa_outputs", hidden, 2)
    return shapes


def _distilbert_shapes(fields):
    hidden, inner = fields["dim"], fields["hidden_dim"]
    embeddings, architecture = "distilbert.embeddings", fields["architectures"][0]
    shapes = {f"{embeddings}.word_embeddings.weight": (fields["vocab_size"], hidden),
              f"{embeddings}.position_embeddings.weight":
                  (fields["max_position_embeddings"], hidden),
              **_norm(embeddings, hidden)}
    for index in range(fields["n_layers"]):
        layer = f"distilbert.transformer.layer.{index}"
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            shapes |= _dense(f"{layer}.attention.{part}", hidden, hidden)
        shapes |= _dense(f"{layer}.ffn.lin1", hidden, inner)
        shapes |= _dense(f"{layer}.ffn.lin2", inner, hidden)
        for norm in ("sa_layer_norm", "output_layer_norm"):
            shapes[f"{layer}.{norm}.weight"] = shapes[f"{layer}.{norm}.bias"] = (hidden,)
    if architecture.endswith("ForSequenceClassification"):
        shapes |= _dense("pre_classifier", hidden, hidden)
    if "num_labels" in fields:
        shapes |= _dense("classifier", hidden, fields["num_labels"])
    if architecture.endswith("ForQuestionAnswering"):
        shapes |= _dense("qa_outputs", hidden, 2)
    return shapes
