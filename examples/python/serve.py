"""The shop over HTTP: it takes POST /callback. With TESTS=1 also what certify.yaml asks of it."""

import http.server
import json
import os
import threading
import time

from shop import Shop

PORT = int(os.environ.get("PORT", "3000"))
TESTS = os.environ.get("TESTS") == "1"
LARGEST = 65_536
"""Of a callback, bytes."""

shop = Shop(
    os.environ.get("SERVICE_URL", "http://127.0.0.1:8080"),
    os.environ.get("SERVICE_USERNAME", "demo"),
    os.environ.get("SERVICE_PASSWORD", "demo"),
    f"http://127.0.0.1:{PORT}/callback",
    os.environ["WEBHOOK_SECRET"],
    os.path.join(os.environ.get("DATA", "."), "shop.db"),
)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        length = self.headers.get("Content-Length", "")
        if not length.isdigit():
            return self.answer(411)
        if int(length) > LARGEST:
            self.rfile.read(min(int(length), 32 * LARGEST))
            return self.answer(413)
        body = self.rfile.read(int(length))
        if self.path == "/callback":
            is_json = self.headers.get_content_type() == "application/json"
            return self.answer(shop.callback(self.headers, body) if is_json else 415)
        if TESTS and self.path == "/test/checkout":
            shop.checkout(**json.loads(body))
            return self.answer(202)
        self.answer(404)

    def do_GET(self):
        start, _, order = self.path.rpartition("/")
        found = shop.order(order) if TESTS and start == "/test/orders" else None
        self.answer(200, dict(found)) if found else self.answer(405 if self.path == "/callback" else 404)

    def do_PUT(self):
        self.answer(405)

    do_DELETE = do_PATCH = do_HEAD = do_PUT

    def answer(self, status, body=None):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        if body is not None:
            self.wfile.write(json.dumps(body).encode())

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    # So many may come at one moment; the default is 5.
    request_queue_size = 128


def watch():
    while True:
        time.sleep(1)
        shop.watch()


threading.Thread(target=watch, daemon=True).start()
Server(("127.0.0.1", PORT), Handler).serve_forever()
