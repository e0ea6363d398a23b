"""Reasons: what went wrong, in one line for the user."""

import re

# TensorFlow puts these around its messages: the node, the operation, and a file's path.
_NOISE = re.compile(r"\{\{.*?\}\}|\[Op:[^\]]*\](?: name:.*)?|\[\[.*?\]\]")
_NODE_ERROR = re.compile(r"\(\d+\) [A-Z_]+: +")
_PATH = re.compile(r"^[^;:]*/[^;:]*; +")
# Lines before the message itself.
_HEADINGS = re.compile(r"Graph execution error:|Detected at node |\d+ root error\(s\) found|"
                       r"File \"|Node: '")


def reason(error: BaseException) -> str:
    """Return what went wrong, in one line.

    An `OSError` gives the system's words. TensorFlow's messages lose the names of nodes and
    operations, the path, and all lines after the first.

    Example:
      >>> reason(ValueError("{{function_node __wrapped__SaveV2}} a/b; No space left [Op:SaveV2]"))
      'No space left'
    """
    text = getattr(error, "strerror", None) or getattr(error, "message", None) or str(error)
    for line in _NOISE.sub("", str(text)).splitlines():
        line = _PATH.sub("", _NODE_ERROR.sub("", line.strip())).strip()
        if line and not _HEADINGS.match(line):
            return line
    return type(error).__name__


def last_line(error: BaseException) -> str:
    r"""Return the last line of an error's message, where LiteRT says what went wrong.

    Example:
      >>> last_line(RuntimeError("Encountered an unresolved op.\nNode 3 failed to prepare.\n"))
      'Node 3 failed to prepare.'
    """
    lines = str(error).strip().splitlines()
    return lines[-1] if lines else type(error).__name__
