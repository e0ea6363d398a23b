"""Export: from a model to the .tflite file that phones run. Imported as `mobilebert_tf.export`."""

from mobilebert_tf import lazy

# Only the conversion needs TensorFlow; opening a file does not.
_LOCATIONS = {
    "ExportReport": "file.export_report",
    "ExportResult": "file.export_result",
    "FailedGate": "failed_gate",
    "RECIPES": "recipes",
    "Recipe": "recipes",
    "Runner": "file.runner",
    "choose_cascade": "cascade.choose",
    "choose_lengths": "lengths.choose",
    "compare": "comparison.compare",
    "to_tflite": "file.convert",
    "tune": "tuning.tune",
}
__all__ = list(_LOCATIONS)
__getattr__ = lazy.attributes(__name__, _LOCATIONS)


def __dir__():
    return sorted(__all__)
