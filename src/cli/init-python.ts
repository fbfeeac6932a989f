/** What `init` writes for Python. */
import type { Language, Project } from './init-files.ts'

const RECEIVER_PY = `"""Receives callbacks of payments."""

import base64
import hashlib
import hmac
import json
import re
import time

TOLERANCE = 300  # seconds
LIMIT = 65_536  # bytes


def is_genuine(secret: str, headers, body: bytes) -> bool:
    """Returns whether the sandbox signed these bytes with this secret."""
    event, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    if not event or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{event}.{timestamp}.".encode("latin-1") + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    sent = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    return any(hmac.compare_digest(each, expected) for each in sent)


class Receiver:
    """Calls on_payment once for each callback, however often it is delivered."""

    def __init__(self, secret: str, on_payment):
        self.secret = secret
        self.on_payment = on_payment
        # In production, keep the ids in your database, in the transaction that books the payment.
        self.seen = set()

    def receive(self, headers, body: bytes) -> int:
        """Returns the status of the response."""
        if len(body) > LIMIT:
            return 413
        if not is_genuine(self.secret, headers, body):
            return 401
        event = headers.get("webhook-id")
        if event not in self.seen:
            self.seen.add(event)
            self.on_payment(json.loads(body))
        return 204
`

const FASTAPI_PY = `

def create_app(receiver: Receiver) -> FastAPI:
    app = FastAPI()

    @app.post("/callbacks/payments")
    async def callback(request: Request) -> Response:
        # The signature covers the raw bytes.
        return Response(status_code=receiver.receive(request.headers, await request.body()))

    return app
`

const SERVER_FASTAPI = `    server = uvicorn.Server(uvicorn.Config(create_app(receiver), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    stop = lambda: setattr(server, "should_exit", True)`

const SERVER_PLAIN = `    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(receiver.receive(self.headers, body))
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    port = server.server_address[1]
    stop = server.shutdown`

const testsPy = (isFastApi: boolean) => `${
  isFastApi
    ? 'import threading\nimport time\n\nimport pytest\nimport uvicorn\n\nfrom payments_receiver import Receiver, create_app'
    : 'import threading\nfrom http.server import BaseHTTPRequestHandler, ThreadingHTTPServer\n\nimport pytest\n\nfrom payments_receiver import Receiver'
}


class Shop:
    def __init__(self):
        self.orders, self.received, self.callback_url = {}, [], ""

    def on_payment(self, payment):
        self.received.append(payment["external_reference"])
        self.orders[payment["external_reference"]] = payment["status"]


@pytest.fixture
def shop(world):
    shop = Shop()
    receiver = Receiver(world.secret, shop.on_payment)
${isFastApi ? SERVER_FASTAPI : SERVER_PLAIN}
    shop.callback_url = f"127.0.0.1:{port}/callbacks/payments"
    yield shop
    stop()
    thread.join()


def test_an_order_is_paid(world, shop):
    payment = world.pay(callback_url=shop.callback_url)
    world.settle()
    assert shop.orders[payment.reference] == "success"


def test_the_payer_cancels(world, shop):
    payment = world.pay(outcome="payer-cancels", callback_url=shop.callback_url)
    world.settle()
    assert shop.orders[payment.reference] == "failed"


def test_a_callback_that_is_delivered_twice_counts_once(world, shop):
    payment = world.pay(outcome="duplicate-callback", callback_url=shop.callback_url)
    world.settle()
    assert world.callback(payment).deliveries == 2
    assert len(shop.received) == 1
`

export function pythonFiles({ framework }: Project): Language {
  const isFastApi = framework === 'fastapi'
  const receiver = isFastApi
    ? RECEIVER_PY.replace(
        'import time\n',
        'import time\n\nfrom fastapi import FastAPI, Request, Response\n',
      ) + FASTAPI_PY
    : RECEIVER_PY
  return {
    own: [
      { path: 'payments_receiver.py', text: receiver },
      { path: 'test_payments.py', text: testsPy(isFastApi) },
    ],
    test: 'python -m pytest test_payments.py',
    setup: `      - uses: actions/setup-python@v5
        with:
          python-version: '3.13'
      - run: pip install pytest${isFastApi ? ' fastapi uvicorn' : ''} PATH/clients/python`,
    next: [
      `pip install pytest${isFastApi ? ' uvicorn' : ''} CHECKOUT/clients/python   (CHECKOUT is a checkout of the sandbox)`,
    ],
  }
}
