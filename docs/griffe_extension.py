"""A Griffe extension for the reference: lazy public names, and sections about tensors."""

import ast
import re

import griffe

_SECTION = re.compile(r"^(Inputs|Outputs|Weights|Masking|Signatures):(.*)$")
_ITEM = re.compile(r"^ {2,4}(\w+):(.*)$")


class ReferenceExtension(griffe.Extension):
    """Show lazy names as the package's own, and the inputs and outputs of layers as lists."""

    def on_module_members(self, *, node, mod, **kwargs):
        """Add the names of `_LOCATIONS`, which `mobilebert_tf.lazy` imports on first use."""
        for name, target in public_names(node, mod.path).items():
            mod.set_member(name, griffe.Alias(name, target, parent=mod))

    def on_object(self, *, obj, **kwargs):
        if obj.docstring:
            obj.docstring.value = readable(obj.docstring.value)


def public_names(node: ast.Module, package: str) -> dict[str, str]:
    """Return public name -> dotted name of its definition, without names that are modules."""
    found = {}
    for statement in getattr(node, "body", ()):
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "_LOCATIONS":
            for name, location in ast.literal_eval(statement.value).items():
                module, _, attribute = location.partition(":")
                if module:
                    found[name] = f"{package}.{module}.{attribute or name}"
    return found


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
            # Griffe wants an empty line before a section.
            lines += ["", line] if re.match(r"[A-Z]\w+:$", line) else [line]
    return "\n".join(lines)
