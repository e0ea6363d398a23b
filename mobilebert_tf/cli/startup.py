"""Starting TensorFlow without its messages, which are noise to someone who runs a command."""

import logging
import os
import sys
import tempfile


def tensorflow() -> None:
    """Imports TensorFlow and Keras; their native libraries' messages go nowhere.

    The libraries write to the process's standard error before any setting of theirs is read, so
    that is turned away meanwhile. Where the import fails, what they wrote is shown.
    """
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as messages:
        os.dup2(messages.fileno(), 2)
        try:
            import tensorflow  # noqa: F401
            import tf_keras  # noqa: F401
        except BaseException:
            messages.seek(0)
            os.write(kept, messages.read())
            raise
        finally:
            os.dup2(kept, 2)
            os.close(kept)
    logging.getLogger("tensorflow").setLevel(logging.ERROR)
