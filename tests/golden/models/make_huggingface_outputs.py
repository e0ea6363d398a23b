"""Makes the golden outputs beside it with transformers and torch on the CPU.

    pip install torch==2.15.0 transformers==5.23.0 safetensors && python make_huggingface_outputs.py

Cases after the script's name are made alone, and `saved/` stays as it is.

Computed in float64 and stored as float32: in float32 transformers' own attention probabilities of
BERT-base are 6e-6 from that, which with as much on the other side would not leave 1e-5.

Writes one .npz a case of `seeded_weights.CASES`, `made_with.json` (versions, seed, checksums of the
weights) and `saved/`: one small model as transformers and torch save it, in five formats.
"""

import inspect
import json
import pathlib
import platform
import shutil
import sys

import numpy as np
import numpy_forward
import seeded_weights
import torch
import transformers
from safetensors.torch import load_file

HERE = pathlib.Path(__file__).parent
OUTPUTS = {"prediction_logits": "mlm_logits", "seq_relationship_logits": "nsp_logits",
           "logits": "logits", "start_logits": "start_logits", "end_logits": "end_logits"}


def main():
    torch.manual_seed(seeded_weights.SEED)
    path = HERE / "made_with.json"
    chosen = sys.argv[1:]
    checksums = json.loads(path.read_text())["weights_crc32"] if chosen else {}
    for case in chosen or seeded_weights.CASES:
        fields = seeded_weights.CASES[case]
        tensors = seeded_weights.tensors(case)
        checksums[case] = seeded_weights.checksum(tensors)
        model = build(fields, tensors)
        batch = seeded_weights.batch(case)
        with torch.no_grad():
            inputs = {name: torch.tensor(array) for name, array in batch.items()
                      if name in inspect.signature(model.forward).parameters}
            single = model(**inputs, output_hidden_states=True, output_attentions=True)
            outputs = model.double()(**inputs, output_hidden_states=True, output_attentions=True)
        results = (full_results if case.startswith("full") else micro_results)(outputs, case)
        check_against_numpy(fields, tensors, batch, outputs)
        np.savez_compressed(HERE / f"{case}.npz", **{
            name: array.astype(np.float32) for name, array in results.items()})
        size = (HERE / f"{case}.npz").stat().st_size
        largest = [float(states.abs().max()) for states in outputs.hidden_states]
        noise = max(float(((tensor - exact).abs().amax(-1) / exact.abs().amax(-1)).max())
                    for kind in ("hidden_states", "attentions")
                    for tensor, exact in zip(single[kind], outputs[kind], strict=True))
        print(f"{case}: {size} bytes; float32's own error {noise:.1e}; largest values of the "
              f"states {' '.join(f'{value:.3g}' for value in largest)}")
    if not chosen:
        save_formats()
    made_with = {"python": platform.python_version(), "numpy": np.__version__,
                 "torch": torch.__version__, "transformers": transformers.__version__,
                 "seed": seeded_weights.SEED, "weights_crc32": checksums}
    path.write_text(json.dumps(made_with, indent=2) + "\n")
    print(json.dumps(made_with))


def build(fields, tensors):
    """The model of a config.json, with exactly these weights."""
    config_class = {"mobilebert": transformers.MobileBertConfig,
                    "bert": transformers.BertConfig,
                    "distilbert": transformers.DistilBertConfig}[fields["model_type"]]
    config = config_class(**fields)
    config._attn_implementation = "eager"
    model = getattr(transformers, fields["architectures"][0])(config).eval()
    state = {name: torch.tensor(array) for name, array in tensors.items()}
    missing, unexpected = model.load_state_dict(state, strict=False)
    tied = {"cls.predictions.decoder.weight", "cls.predictions.decoder.bias"}
    unused = {name for name in missing if ".bottleneck.attention." in name
              and fields.get("use_bottleneck_attention")}
    assert not unexpected, unexpected
    assert set(missing) <= tied | unused, missing
    model.tie_weights()
    return model


def micro_results(outputs, case):
    results = {ours: outputs[theirs].numpy() for theirs, ours in OUTPUTS.items()
               if theirs in outputs}
    if case.endswith("masked_lm"):
        results["mlm_logits"] = results.pop("logits")
    if "pretraining" not in case:
        return {**results, "hidden_states_last": outputs.hidden_states[-1].numpy()}
    for index, states in enumerate(outputs.hidden_states):
        results[f"hidden_states_{index}"] = states.numpy()
    for index, probabilities in enumerate(outputs.attentions):
        results[f"attentions_{index}"] = probabilities.numpy()
    return results


def full_results(outputs, case):
    """Every 64th feature of every block at every position, with the position's largest value."""
    states = torch.stack(outputs.hidden_states).numpy()  # (blocks + 1, batch, seq, hidden)
    logits = outputs.prediction_logits.numpy()
    return {
        "hidden_states": states[..., 5::64], "hidden_states_largest": np.abs(states).max(-1),
        "attentions": torch.stack(outputs.attentions).numpy()[:, :, :, ::7, :],
        "mlm_logits": logits[..., 11::997], "mlm_logits_largest": np.abs(logits).max(-1),
        "nsp_logits": outputs.seq_relationship_logits.numpy()}


def check_against_numpy(fields, tensors, batch, outputs):
    """Holds the NumPy forward, which also stands for what transformers cannot run, to it."""
    if fields["model_type"] != "mobilebert" or fields["hidden_act"] != "relu":
        return
    google = {google_name(name): array.T if name.endswith(".weight") and is_kernel(name)
              else array for name, array in tensors.items()}
    ours = numpy_forward.forward(google, fields, batch["input_ids"], batch["attention_mask"],
                                 batch["token_type_ids"])
    for index, states in enumerate(outputs.hidden_states[1:]):
        difference = np.abs(ours["block_outputs"][index] - states.numpy()).max(-1)
        assert (difference <= 1e-5 * np.abs(states.numpy()).max(-1)).all(), (index, difference)


def is_kernel(name):
    return not ("embeddings.weight" in name or "LayerNorm" in name or "seq_relationship" in name
                or name.startswith(("classifier", "qa_outputs")))


def google_name(name):
    heads = {"classifier.weight": "output_weights", "classifier.bias": "output_bias",
             "qa_outputs.weight": "cls/squad/output_weights",
             "qa_outputs.bias": "cls/squad/output_bias",
             "cls.seq_relationship.weight": "cls/seq_relationship/output_weights",
             "cls.seq_relationship.bias": "cls/seq_relationship/output_bias",
             "cls.predictions.bias": "cls/predictions/output_bias",
             "cls.predictions.dense.weight": "cls/predictions/extra_output_weights"}
    if name in heads:
        return heads[name]
    norm = "LayerNorm" if name.startswith("cls") else "FakeLayerNorm"
    name = name.replace("LayerNorm.weight", f"{norm}/gamma").replace(
        "LayerNorm.bias", f"{norm}/beta").replace("embeddings.weight", "embeddings")
    name = name.replace(".layer.", ".layer_").replace(".ffn.", ".ffn_layer_")
    name = name.replace("mobilebert.", "bert.").replace(".weight", ".kernel")
    return name.replace(".", "/")


def save_formats():
    """One small model in the formats that weights are found in."""
    torch.manual_seed(seeded_weights.SEED)
    config = transformers.MobileBertConfig(
        vocab_size=13, hidden_size=12, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=10, max_position_embeddings=7, embedding_size=6, intra_bottleneck_size=8,
        num_feedforward_networks=2, classifier_activation=False)
    model = transformers.MobileBertForMaskedLM(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    folder = HERE / "saved"
    shutil.rmtree(folder, ignore_errors=True)
    model.save_pretrained(folder)
    (folder / "generation_config.json").unlink(missing_ok=True)
    state = load_file(folder / "model.safetensors")
    torch.save(model.state_dict(), folder / "new_format.bin")
    torch.save(state, folder / "legacy_format.bin", _use_new_zipfile_serialization=False)
    torch.save({name: tensor.half() for name, tensor in state.items()}, folder / "half.bin")
    torch.save({name: tensor.bfloat16() for name, tensor in state.items()}, folder / "bfloat16.bin")


if __name__ == "__main__":
    sys.exit(main())
