"""A Griffe extension: show the inputs and outputs of layers as lists, like their arguments."""

import re

import griffe

_SECTION = re.compile(r"^(Inputs|Outputs|Weights|Masking|Signatures):(.*)$")
_ITEM = re.compile(r"^ {2,4}(\w+):(.*)$")


class TensorSections(griffe.Extension):
    """Turn the sections that Google's docstring style does not have into bold titles and lists."""

    def on_object(self, *, obj, **kwargs):
        if obj.docstring:
            obj.docstring.value = readable(obj.docstring.value)


def readable(docstring: str) -> str:
    """Return a docstring with its tensor sections as Markdown.

    Example:
      >>> readable("Inputs:\\n  ids: int32,\\n    padded.")
      '\\n**Inputs:**\\n\\n- `ids`: int32, padded.'
    """
    lines, inside = [], False
    for line in docstring.splitlines():
        if section := _SECTION.match(line):
            inside = True
            lines += ["", f"**{section[1]}:**{section[2]}"]
        elif inside and line.startswith(" "):
            if item := _ITEM.match(line):
                lines += ["", f"- `{item[1]}`:{item[2]}"]
            else:
                lines[-1] += " " + line.strip()
        else:
            inside = False
            lines.append(line)
    return "\n".join(lines)
