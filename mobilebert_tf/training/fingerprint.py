"""A hash that tells one model from others."""

import hashlib
import json


def fingerprint(model) -> str:
    """Return a hash of a model's config and weights."""
    # The name counts the models of the process.
    config = {name: value for name, value in model.get_config().items() if name != "name"}
    found = hashlib.sha256(json.dumps(config, sort_keys=True).encode())
    for weights in model.get_weights():
        found.update(weights.tobytes())
    return found.hexdigest()
