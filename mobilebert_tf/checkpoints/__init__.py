"""Checkpoints of the published layouts, read and written strictly."""

from mobilebert_tf import lazy

_LOCATIONS = {
    "LoadReport": "load_report",
    "load_google": "google:load",
    "load_huggingface": "huggingface:load",
    "read_google_config": "google:read_config",
    "save_google": "google:save",
    "save_huggingface": "huggingface:save",
}
__all__ = list(_LOCATIONS)
__getattr__ = lazy.attributes(__name__, _LOCATIONS)
