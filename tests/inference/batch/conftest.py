"""The shipped files, which the jobs run."""

import pytest


@pytest.fixture(scope="session")
def shipped(repository):
    """End of a model's name, recipe -> the path of its file."""
    def path(name, recipe="int8"):
        return (repository / "models" / f"mobilebert_mini_{name}"
                / f"mobilebert_mini_{name}_{recipe}.tflite")

    return path
