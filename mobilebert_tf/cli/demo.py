"""`mobilebert demo`: the models in your browser."""

import tempfile
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from mobilebert_tf.cli import output, package
from mobilebert_tf.errors import InputError
from mobilebert_tf.terminal.waiting import waiting

EXAMPLES = """[bold]Examples[/bold]

mobilebert demo

mobilebert demo out/web --port 9000 --no-browser

Stop it with Ctrl-C. Only this machine reaches it. The page works offline, and no text leaves it."""


def run(
    directory: Annotated[Path | None, typer.Argument(
        help="A folder that package --web wrote. By default the command makes one with the shipped "
             "models, and removes that folder at the end.")] = None,
    port: Annotated[int, typer.Option(
        min=0, max=65535, help="Port on 127.0.0.1; 0 for any that is free.")] = 8000,
    browser: Annotated[bool, typer.Option(
        "--browser/--no-browser", help="Open a browser.")] = True,
    page: package.PageOption = None,
    json: output.JsonOption = None,
):
    """Serve a page that runs the models in your browser, on this machine alone.

    The JSON result is written before the first request: it has the address.
    """
    if directory is not None and page is not None:
        raise InputError(f"{directory} has its own page, and --page is for the shipped models: "
                         "leave one of them out")
    with tempfile.TemporaryDirectory() as temporary:
        if directory is None:
            from mobilebert_tf.export.package import web_folder

            directory = Path(temporary) / "web"
            with waiting("Putting the shipped models beside the page"):
                web_folder.package_web(directory, package.shipped_models(), page)
        _serve(directory, port, browser, json)


def _serve(directory, port, browser, json):
    from mobilebert_tf.export.package import web_server

    with web_server.serve(directory, port) as server:
        place = web_server.address(server)
        output.results.print(f"{directory} is at {place}", soft_wrap=True)
        output.write_json(json, {"directory": str(directory), "address": place})
        output.progress.print("Stop with Ctrl-C.")
        if browser:
            webbrowser.open(place)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            output.progress.print("Stopped.")
