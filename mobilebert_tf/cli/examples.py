"""The examples that `--help` ends with."""

import re

# A word, or an option with its value. What is quoted may have spaces.
_PART = re.compile(r"(?:--\S+\s+(?!-))?(?:'[^']*'|\"[^\"]*\"|\S)+")


def folded(examples: str, width: int = 76) -> str:
    r"""Break long commands with a backslash, so that they can be pasted from a terminal.

    Args:
      examples: paragraphs; a paragraph that begins with `mobilebert` is one command.
      width: most characters of a line; a terminal of 80 columns shows 78.
    """
    return "\n\n".join(_folded(paragraph, width) if paragraph.startswith("mobilebert ")
                       else paragraph for paragraph in examples.split("\n\n"))


def _folded(command, width):
    lines = [""]
    for part in _PART.findall(command):
        longer = f"{lines[-1]} {part}".lstrip()
        # Two more characters, for the backslash.
        if lines[-1] and len(longer) > width - 2:
            lines.append(part)
        else:
            lines[-1] = longer
    return " \\\n".join(lines)
