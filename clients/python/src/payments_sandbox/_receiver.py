"""A receiver of callbacks in a thread of the test process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from ._callback import Received
from ._signatures import BadSignature, verify

# Hides these frames in the traceback of a failing test.
__tracebackhide__ = True

Handler = Callable[[Received], int | None]
"""Called with a callback; may return the response status, 204 by default."""


class Listener:
    """Listens on a free port until it is closed, and keeps the callbacks."""

    def __init__(self, secrets: Callable[[], list[str]], handler: Handler | None, check: bool, bind: str, host: str) -> None:
        """
        :param secrets: the valid secrets, newest first
        :param check: whether callbacks with invalid signatures get 401 without a call of the handler
        :param bind: the address to listen at
        :param host: the host name of this machine for the sandbox
        """
        self._secrets, self._handler, self._check = secrets, handler, check
        self._came = threading.Condition()
        self._received: list[Received] = []
        self._errors: list[Exception] = []
        listener = self

        class Requests(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                status = listener._take(self.command, self.path, dict(self.headers.items()), raw)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_POST = do_PUT = do_PATCH = do_DELETE = do_GET = do_HEAD = handle_any

            def log_message(self, format: str, *args: object) -> None:
                """The callbacks are in ``received``."""

        self._server = ThreadingHTTPServer((bind, 0), Requests)
        self._server.daemon_threads = True
        self.url = f"http://{host}:{self._server.server_port}/"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def received(self) -> list[Received]:
        """Returns all received callbacks in order of arrival, with valid and invalid signatures."""
        with self._came:
            return list(self._received)

    def wait(self, count: int, timeout: float) -> list[Received]:
        """Waits until ``count`` callbacks with valid signatures arrived.

        :param timeout: seconds
        :raises TimeoutError: with the callbacks that arrived
        """
        with self._came:
            self._came.wait_for(lambda: self._errors or len(self._verified()) >= count, timeout)
            self._raise_errors()
            if len(self._verified()) < count:
                refused = [f"{each.method} {each.path} ({each.problem})" for each in self._received if not each.verified]
                instead = f"; refused were {', '.join(refused)}" if refused else ""
                raise TimeoutError(
                    f"{len(self._verified())} of {count} callbacks came to {self.url} within {timeout:g} s{instead}. "
                    "While the clock is frozen, world.settle() sends pending callbacks; world.story() lists the attempts"
                )
            return self._verified()

    def close(self) -> None:
        """Stops listening. Raises the first error of the handler that was not raised before."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
        with self._came:
            self._raise_errors()

    def _verified(self) -> list[Received]:
        return [each for each in self._received if each.verified]

    def _raise_errors(self) -> None:
        if self._errors:
            raise self._errors.pop(0)

    def _take(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> int:
        problem = self._problem(headers, raw)
        lower = {name.lower(): value for name, value in headers.items()}
        callback = Received(method, path, lower, raw, not problem, problem, 0)
        error = None
        if problem and self._check:
            status = 401
        else:
            try:
                status = (self._handler(callback) if self._handler else None) or 204
            except Exception as raised:
                status, error = 500, raised
        with self._came:
            self._received.append(replace(callback, response_status=status))
            if error:
                self._errors.append(error)
            self._came.notify_all()
        return status

    def _problem(self, headers: Mapping[str, str], raw: bytes) -> str:
        """Returns why the signature is invalid; empty if it is valid."""
        problem = ""
        for secret in self._secrets():
            try:
                verify(secret, headers, raw)
                return ""
            except BadSignature as bad:
                problem = problem or str(bad)
        return problem
