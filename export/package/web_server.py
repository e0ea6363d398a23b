"""A static host on this machine, for a folder with the web page."""

import functools
import http.server
from pathlib import Path

from mobilebert_tf.errors import InputError
from mobilebert_tf.export.package import web_folder

# By the server itself: the system's own table of types may lack some, and Windows' has wrong ones.
_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css",
          ".json": "application/json", ".svg": "image/svg+xml", ".wasm": "application/wasm",
          ".woff2": "font/woff2", ".txt": "text/plain; charset=utf-8",
          ".tflite": "application/octet-stream"}
# Isolated pages may use threads. Nothing here is for other origins.
_HEADERS = {"Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Embedder-Policy": "require-corp",
            "Cross-Origin-Resource-Policy": "same-origin",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-cache"}


class _Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {"": "application/octet-stream", **_TYPES}

    def end_headers(self):
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def list_directory(self, path):
        self.send_error(404)

    def log_message(self, *arguments):
        """Print nothing: what is asked for is the page's own business."""


def serve(directory: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server of a folder that `package_web` wrote, for this machine alone.

    Args:
      directory: the folder.
      port: on 127.0.0.1; 0 for any that is free.
    Raises:
      InputError: if there is no such folder there, or the port is in use or no port.
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65_535:
        raise InputError(f"a port is a whole number from 0 to 65535. Received: {port!r}")
    if not web_folder.is_web_folder(directory):
        raise InputError(f"{directory} is no folder with the web page: write one with `mobilebert "
                         f"package --web {directory}`")
    handler = functools.partial(_Handler, directory=str(directory))
    try:
        return http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        raise InputError(f"cannot listen on port {port}: {error.strerror}; name another with "
                         "--port, or 0 for any that is free") from error


def address(server: http.server.ThreadingHTTPServer) -> str:
    """Return the address of the page; browsers trust localhost as they trust https."""
    return f"http://localhost:{server.server_address[1]}/"
