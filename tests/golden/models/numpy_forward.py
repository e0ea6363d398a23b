"""The forward computation of google-research's code in NumPy, float64, for a TF1 checkpoint.

Written from the description of that code and not from this project's layers, which it is there to
check. It is the only reference for the IB-BERT teacher, which transformers cannot run.
"""

import numpy as np


def forward(tensors, fields, ids, mask, types):
    """Outputs of a model by Google's variable names and the fields of its bert_config.json.

    `tensors` are by name without `:0`; `fields` are complete. Returns a dict: `embedding_output`,
    `block_outputs`, `attention_probs`, `pooled_output`, and by the heads that `tensors` has
    `mlm_logits` (at all positions), `nsp_logits`, `logits`, `start_logits`, `end_logits`.
    """
    weights = {name: np.float64(array) for name, array in tensors.items()}
    activation = _relu if fields["hidden_act"] == "relu" else _gelu_tanh

    def norm(name, h):
        fake = f"{name}/FakeLayerNorm/gamma" in weights
        kind, h = ("FakeLayerNorm", h) if fake else ("LayerNorm", _layer_norm(h))
        return h * weights[f"{name}/{kind}/gamma"] + weights[f"{name}/{kind}/beta"]

    def dense(name, h):
        return h @ weights[f"{name}/kernel"] + weights[f"{name}/bias"]

    x = _embed(weights, ids, types, dense, norm)
    outputs = {"embedding_output": x, "block_outputs": [], "attention_probs": []}
    for index in range(fields["num_hidden_layers"]):
        x, probs = _block(f"bert/encoder/layer_{index}", weights, fields, x, mask, dense, norm,
                          activation)
        outputs["block_outputs"].append(x)
        outputs["attention_probs"].append(probs)
    pooled = x[:, 0]
    if "bert/pooler/dense/kernel" in weights:
        pooled = np.tanh(dense("bert/pooler/dense", pooled))
    outputs["pooled_output"] = pooled
    if "cls/predictions/output_bias" in weights:
        t = _layer_norm(activation(dense("cls/predictions/transform/dense", x)))
        t = (t * weights["cls/predictions/transform/LayerNorm/gamma"]
             + weights["cls/predictions/transform/LayerNorm/beta"])
        table = weights["bert/embeddings/word_embeddings"]
        split = table.shape[1]
        logits = t[..., :split] @ table.T + weights["cls/predictions/output_bias"]
        if split < t.shape[-1]:
            logits = logits + t[..., split:] @ weights["cls/predictions/extra_output_weights"].T
        outputs["mlm_logits"] = logits
    for prefix, name, states in (("cls/seq_relationship/", "nsp_logits", pooled),
                                 ("", "logits", pooled), ("cls/squad/", "span", x)):
        if f"{prefix}output_weights" in weights:
            outputs[name] = (states @ weights[f"{prefix}output_weights"].T
                             + weights[f"{prefix}output_bias"])
    if "span" in outputs:
        span = outputs.pop("span")
        outputs["start_logits"], outputs["end_logits"] = span[..., 0], span[..., 1]
    return outputs


def _embed(weights, ids, types, dense, norm):
    word = weights["bert/embeddings/word_embeddings"][ids]
    if "bert/embeddings/embedding_transformation/kernel" in weights:
        after, before = np.zeros_like(word), np.zeros_like(word)
        after[:, :-1] = word[:, 1:]
        before[:, 1:] = word[:, :-1]
        word = dense("bert/embeddings/embedding_transformation",
                     np.concatenate([after, word, before], axis=-1))
    return norm("bert/embeddings", word + weights["bert/embeddings/token_type_embeddings"][types]
                + weights["bert/embeddings/position_embeddings"][:ids.shape[1]])


def _block(name, weights, fields, x, mask, dense, norm, activation):
    def bottleneck(place):
        return norm(f"{name}/bottleneck/{place}", dense(f"{name}/bottleneck/{place}/dense", x))

    r = bottleneck("input") if fields["use_bottleneck"] else x
    if fields["use_bottleneck"] and fields["use_bottleneck_attention"]:
        query_key, value_input = r, r
    elif fields["use_bottleneck"] and fields["key_query_shared_bottleneck"]:
        query_key, value_input = bottleneck("attention"), x
    else:
        query_key, value_input = x, x

    batch, length, _ = x.shape
    heads = fields["num_attention_heads"]

    def split(h):
        return h.reshape(batch, length, heads, -1).transpose(0, 2, 1, 3)

    q = split(dense(f"{name}/attention/self/query", query_key))
    k = split(dense(f"{name}/attention/self/key", query_key))
    v = split(dense(f"{name}/attention/self/value", value_input))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
    scores = np.where(mask[:, None, None, :] == 1, scores, -np.inf)
    probs = np.exp(scores - scores.max(-1, keepdims=True))
    probs /= probs.sum(-1, keepdims=True)
    context = (probs @ v).transpose(0, 2, 1, 3).reshape(batch, length, -1)

    a = norm(f"{name}/attention/output", dense(f"{name}/attention/output/dense", context) + r)
    count = fields["num_feedforward_networks"]
    for ffn in [f"{name}/ffn_layer_{j}" for j in range(count - 1)] + [name]:
        inner = activation(dense(f"{ffn}/intermediate/dense", a))
        a = norm(f"{ffn}/output", dense(f"{ffn}/output/dense", inner) + a)
    if not fields["use_bottleneck"]:
        return a, probs
    return norm(f"{name}/output/bottleneck",
                dense(f"{name}/output/bottleneck/dense", a) + x), probs


def _layer_norm(h):
    centered = h - h.mean(-1, keepdims=True)
    return centered / np.sqrt((centered ** 2).mean(-1, keepdims=True) + 1e-12)


def _relu(h):
    return np.maximum(h, 0)


def _gelu_tanh(h):
    return 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h ** 3)))
