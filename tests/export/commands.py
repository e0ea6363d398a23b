"""Commands, run in this process."""

import typer.testing


def invoke(command, *arguments):
    """What a module of `mobilebert_tf.cli` does with these arguments."""
    app = typer.Typer()
    app.command()(command.run)
    return typer.testing.CliRunner().invoke(app, [str(argument) for argument in arguments])
