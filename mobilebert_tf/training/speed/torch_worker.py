"""The process that trains transformers' MobileBERT in PyTorch: `PYTHON torch_worker.py SETTINGS`.

It prints a JSON line when the model is built. Then, for every line that it reads, it trains a step
and prints a JSON line with the seconds. It imports nothing of this project, so that any interpreter
with torch and transformers can run it.
"""

import importlib.metadata
import importlib.util
import json
import os
import sys
import time

_PACKAGES = ("torch", "transformers")
_MASKED = 0.15
_IGNORED = -100  # transformers' label for a token that is not predicted.


def main(settings: str) -> None:
    """Build a model from settings, a JSON object; train a step for each line that is read."""
    # Only answers go to standard output; what libraries print goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    # Remove this file's folder: its modules could hide others of the same names.
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
    """Return (a function that trains one step, the number of parameters of the model)."""
    import torch
    import transformers

    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    kinds = {"masked LM": transformers.MobileBertForMaskedLM,
             "encoder": transformers.MobileBertModel}
    model = kinds[what](transformers.MobileBertConfig(**config)).train()
    # transformers' Trainer uses the fused one, which is the fastest.
    optimizer = torch.optim.AdamW(model.parameters(), learning_rate, eps=1e-6, weight_decay=0.01,
                                  fused=True)
    ids = torch.randint(5, config["vocab_size"], (batch_size, length))
    mask = torch.ones_like(ids)
    labels = torch.where(torch.rand(ids.shape) < _MASKED, ids, _IGNORED)
    labels[:, 0] = ids[:, 0]  # At least one prediction in a short batch.

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
