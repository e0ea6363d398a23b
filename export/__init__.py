"""Export: from a model to the .tflite file that phones run. Imported as `mobilebert_tf.export`."""

from .. import lazy

# Only the conversion needs TensorFlow; opening a file does not.
_LOCATIONS = {
    "ExportReport": "result",
    "ExportResult": "result",
    "RECIPES": "recipes",
    "Recipe": "recipes",
    "Runner": "runner",
    "to_tflite": "convert",
}
__all__ = list(_LOCATIONS)
__getattr__ = lazy.attributes(__name__, _LOCATIONS)


def __dir__():
    return sorted(__all__)
