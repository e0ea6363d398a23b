"""LiteRT's runtime for browsers, @litertjs/core, in headless Chromium."""

import functools
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading

from .installing import Missing, installed_once, run

REQUIREMENTS = ("@litertjs/core@2.5.3", "@litertjs/wasm-utils@2.5.3")
_CHROMIUMS = ("chromium", "chromium-browser", "google-chrome")
_PAGE = pathlib.Path(__file__).with_name("page.html")
_SECONDS = 120


class Browser:
    """Runs files in a page; installs the runtime into `directory` where it is not there yet."""

    def __init__(self, directory):
        self._chromium = next(filter(None, map(shutil.which, _CHROMIUMS)), None)
        if self._chromium is None:
            raise Missing(f"there is no {' or '.join(_CHROMIUMS)}")
        if shutil.which("npm") is None:
            raise Missing("there is no npm")
        self._root = directory / "browser"
        with installed_once(self._root, REQUIREMENTS) as is_new:
            if is_new:
                run("npm", "install", "--no-audit", "--no-fund", "--prefix", self._root,
                    *REQUIREMENTS)

    def run(self, model: bytes, rows: list[dict]) -> dict:
        """Runs a file on rows of input name -> ids, on the CPU (WebAssembly, one thread).

        Returns what page.html sends: `inputs` and `signatures`, names as the runtime gives them,
        and `answers`, output name -> flat list of numbers for each row; or `error`.
        """
        page = _Page(self._root, {"/": _PAGE.read_bytes(), "/model.tflite": model,
                                  "/rows.json": json.dumps(rows).encode()})
        with page, tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            # No sandbox: it needs rights that containers do not give.
            process = subprocess.Popen(
                [self._chromium, "--headless=new", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={profile}",
                 page.address],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            try:
                return page.result(_SECONDS)
            finally:
                # With its children, which would go on to write into the profile.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


class _Page:
    """A page on a free port of this machine, and the result that it posts."""

    def __init__(self, root, contents):
        self._arrived = threading.Event()
        self._result = None
        handler = functools.partial(_Handler, page=self, contents=contents, directory=root)
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def post(self, body):
        self._result = json.loads(body)
        self._arrived.set()

    def result(self, seconds):
        assert self._arrived.wait(seconds), f"the page gave no result in {seconds} seconds"
        return self._result


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the contents, and the files below the directory for all other paths."""

    extensions_map = {".js": "text/javascript", ".wasm": "application/wasm"}

    def __init__(self, *arguments, page, contents, **options):
        self._page, self._contents = page, contents
        super().__init__(*arguments, **options)

    def do_GET(self):
        content = self._contents.get(self.path)
        if content is None:
            super().do_GET()
        else:
            self._answer(content, "text/html" if self.path == "/" else "application/octet-stream")

    def do_POST(self):
        self._page.post(self.rfile.read(int(self.headers["Content-Length"])))
        self._answer(b"", "text/plain")

    def _answer(self, content, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass
