"""Which options of a command were given on its command line."""

import typer


def among(context: typer.Context, *names: str) -> list[str]:
    """Return the given options, as they are spelled, of those parameters."""
    return [parameter.opts[-1] for parameter in context.command.params
            if parameter.name in names
            and context.get_parameter_source(parameter.name).name == "COMMANDLINE"]


def other_than(context: typer.Context, *names: str) -> list[str]:
    """Return the given options of all other parameters."""
    return among(context, *(parameter.name for parameter in context.command.params
                            if parameter.name not in names))
