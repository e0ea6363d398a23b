"""The process that trains transformers' MobileBERT in PyTorch: `PYTHON torch_worker.py SETTINGS`.

Says one JSON line when the model is built, then, for every line that it reads, one with the seconds
of a further step. It imports nothing of this project, so that any interpreter which has torch and
transformers can run it.
"""

import importlib.metadata
import importlib.util
import json
import os
import sys
import time

_PACKAGES = ("torch", "transformers")
_MASKED = 0.15
_IGNORED = -100  # transformers' label of a token that is not predicted


def main(settings: str) -> None:
    """Builds what the settings, a JSON object, say; then a step whenever it is told."""
    # Answers alone go to standard output, whatever the libraries print there.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # This file's folder: its modules could be taken for others of the same names.
    sys.path.pop(0)

    def say(message):
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    absent = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if absent:
        say({"error": f"not installed: {', '.join(absent)}"})
        return
    try:
        step, parameters = _training(**json.loads(settings))
    except Exception as error:
        say({"error": f"{type(error).__name__}: {error}".splitlines()[0]})
        return
    say({"parameters": parameters,
         "versions": {name: importlib.metadata.version(name) for name in _PACKAGES}})
    for _ in sys.stdin:
        start = time.perf_counter()
        step()
        say({"seconds": time.perf_counter() - start})


def _training(*, what, precision, config, batch_size, length, threads, learning_rate, seed):
    """(a function that does one step, the parameters of the model)."""
    import torch
    import transformers

    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    kinds = {"masked LM": transformers.MobileBertForMaskedLM,
             "encoder": transformers.MobileBertModel}
    model = kinds[what](transformers.MobileBertConfig(**config)).train()
    # The fused one is what transformers' Trainer takes, and the fastest.
    optimizer = torch.optim.AdamW(model.parameters(), learning_rate, eps=1e-6, weight_decay=0.01,
                                  fused=True)
    ids = torch.randint(5, config["vocab_size"], (batch_size, length))
    mask = torch.ones_like(ids)
    labels = torch.where(torch.rand(ids.shape) < _MASKED, ids, _IGNORED)
    labels[:, 0] = ids[:, 0]  # a short batch predicts something too

    def step():
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16"):
            if what == "masked LM":
                loss = model(ids, attention_mask=mask, labels=labels).loss
            else:
                loss = model(ids, attention_mask=mask).last_hidden_state.float().square().mean()
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        loss.item()

    return step, sum(parameter.numel() for parameter in model.parameters())


if __name__ == "__main__":
    main(*sys.argv[1:])
