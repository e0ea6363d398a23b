"""`mobilebert demo`: a static host on this machine alone."""

import contextlib
import http.client
import json
import socket
import threading
import webbrowser

import pytest

import mobilebert_tf as mb
from mobilebert_tf.cli import demo
from mobilebert_tf.export.package import web_server

from ..commands import invoke


@pytest.fixture
def folder(tmp_path):
    web = tmp_path / "web"
    (web / "models").mkdir(parents=True)
    for name, content in {"index.html": "<title>page</title>", "models.json": "{}", "a.js": "1",
                          "b.wasm": "\0asm", "models/model.tflite": "TFL3", "c.woff2": "x",
                          "d.svg": "<svg/>", "e.txt": "é"}.items():
        (web / name).write_text(content, encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret")
    return web


@contextlib.contextmanager
def served(folder):
    with web_server.serve(folder, 0) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server, path):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request("GET", path)
    response = connection.getresponse()
    return response.status, response.headers, response.read()


@pytest.mark.parametrize(("path", "type"), [
    ("/", "text/html; charset=utf-8"), ("/a.js", "text/javascript"),
    ("/b.wasm", "application/wasm"), ("/models.json", "application/json"),
    ("/models/model.tflite?v=1", "application/octet-stream"), ("/c.woff2", "font/woff2"),
    ("/d.svg", "image/svg+xml"), ("/e.txt", "text/plain; charset=utf-8")])
def test_files_have_their_types(path, type, folder):
    with served(folder) as server:
        status, headers, content = ask(server, path)
    assert (status, headers["Content-Type"]) == (200, type)
    assert content
    # Only isolated pages may use threads.
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Embedder-Policy"] == "require-corp"


@pytest.mark.parametrize("path", ["/nothing", "/models/", "/../secret.txt", "/%2e%2e/secret.txt"])
def test_nothing_else_is_served(path, folder, capfd):
    with served(folder) as server:
        assert ask(server, path)[0] == 404
    assert capfd.readouterr() == ("", "")


def test_only_this_machine_reaches_it(folder):
    with served(folder) as server:
        assert server.server_address[0] == "127.0.0.1"
        assert web_server.address(server) == f"http://localhost:{server.server_address[1]}/"


def test_a_folder_without_the_page_is_refused(tmp_path):
    with pytest.raises(mb.InputError, match="is no folder with the web page: write one with"):
        web_server.serve(tmp_path, 0)


@pytest.mark.parametrize("port", [-1, 65_536, 80.0, "80", True])
def test_what_is_no_port_is_named(port, folder):
    with pytest.raises(mb.InputError, match=f"from 0 to 65535. Received: {port!r}"):
        web_server.serve(folder, port)


def test_a_port_that_is_taken_is_named(folder):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(mb.InputError, match=f"cannot listen on port {port}: .*--port"):
            web_server.serve(folder, port)


@pytest.mark.parametrize("options", [(), ("--no-browser",)])
def test_the_command_serves_until_it_is_stopped(options, folder, tmp_path, monkeypatch):
    opened = []

    def stop(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("http.server.ThreadingHTTPServer.serve_forever", stop)
    told = tmp_path / "told.json"
    result = invoke(demo, folder, "--port", 0, "--json", told, *options)
    assert result.exit_code == 0, result.exception
    found = json.loads(told.read_text())
    assert found == {"directory": str(folder), "address": found["address"]}
    assert f"{folder} is at {found['address']}" in result.output
    assert opened == ([] if options else [found["address"]])


def test_a_folder_has_its_own_page(folder):
    result = invoke(demo, folder, "--page", "built", "--no-browser")
    assert str(result.exception) == (
        f"{folder} has its own page, and --page is for the shipped models: leave one of them out")


def test_the_command_makes_a_folder_of_the_shipped_models(folder, monkeypatch, repository):
    seen = []

    def write(directory, models, page):
        seen.extend([models, page])
        folder.rename(directory)

    monkeypatch.setenv("MOBILEBERT_MODELS", str(repository / "models"))
    monkeypatch.setattr("mobilebert_tf.export.package.web_folder.package_web", write)
    monkeypatch.setattr("http.server.ThreadingHTTPServer.serve_forever", lambda self: None)
    result = invoke(demo, "--no-browser", "--port", 0, "--page", "built")
    assert result.exit_code == 0, result.exception
    names = {path.name for path in seen[0]}
    assert {"mobilebert_mini_sst2", "mobilebert_mini_squad"} <= names
    assert "mobilebert_mini" not in names
    assert str(seen[1]) == "built"
