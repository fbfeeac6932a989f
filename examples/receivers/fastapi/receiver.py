"""Takes callbacks with FastAPI. README.md says how it is run."""

import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import time
from contextlib import closing

import uvicorn
from fastapi import Depends, FastAPI, HTTPException, Request, Response

PORT = int(os.environ.get("PORT", "3000"))
DATA = os.environ.get("DATA", "orders.db")
KEYS = [
    base64.b64decode(secret.removeprefix("whsec_"))
    for secret in os.environ.get("WEBHOOK_SECRETS", "").split()
]
# Whoever signs with an empty key would be believed.
if not KEYS or min(map(len, KEYS)) < 24:
    raise ValueError("WEBHOOK_SECRETS must be one or several of whsec_…, with 24 bytes or more behind it")
TOLERANCE = 300
"""Seconds that a callback may be old or ahead: an old one may have been recorded and sent again by somebody."""
LARGEST = 65_536
"""Bytes."""


def is_genuine(headers, body):
    """Whether these very bytes were signed with one of the secrets a moment ago."""
    event, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    # Not isdigit(): it takes ², of which int() makes nothing.
    if not event or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(int(time.time()) - int(timestamp)) > TOLERANCE:
        return False
    signed = f"{event}.{timestamp}.".encode("latin-1") + body
    # Bytes: compare_digest raises where text is not ASCII.
    sent = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    expected = [
        b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)) for key in KEYS
    ]
    return any(hmac.compare_digest(each, own) for each in sent for own in expected)


def flat(told):
    payin = told["transaction_type"] == "inbound_payment"
    return told["external_reference"], told["status"], told["amount"], told["currency"], payin


def nested(told):
    """The older shape: of Kenya alone, so without a currency, and a reversal is told as a failure."""
    status = "success" if told["status"] is True else "failed"
    told = told["response"]
    return told["ExternalReference"], status, told["Amount"], "KES", "TransactionID" not in told


def result_of(body):
    """What a callback tells, whatever else it has; None when that is no result."""
    try:
        told = json.loads(body)
        result = nested(told) if "response" in told else flat(told)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    reference, status, amount, _, _ = result
    # type(), for True is an int and equals 1.
    fits = isinstance(reference, str) and isinstance(status, str) and type(amount) in (int, float)
    return result if fits else None


def after(order, result):
    """The state of an order, after a result: nothing undoes a reversal, and only a reversal undoes what is paid."""
    _, status, amount, currency, payin = result
    state = order["status"]
    if not payin or state == "reversed":
        return state
    if status == "reversed":
        return "reversed"
    if status == "failed":
        return "failed" if state == "waiting" else state
    if status != "success" or state == "paid":
        return state
    # Rightly signed, but not what was asked for: somebody has to look at it.
    return "paid" if (amount, currency) == (order["amount"], order["currency"]) else "review"


def database():
    opened = sqlite3.connect(DATA, timeout=5, isolation_level=None)
    opened.row_factory = sqlite3.Row
    return closing(opened)


with database() as db:
    db.execute("""CREATE TABLE IF NOT EXISTS orders (
        reference TEXT PRIMARY KEY, amount REAL, currency TEXT,
        status TEXT DEFAULT 'waiting', fulfilled INTEGER DEFAULT 0, paid REAL DEFAULT 0)""")
    db.execute("CREATE TABLE IF NOT EXISTS taken (event TEXT PRIMARY KEY)")


def find(db, reference):
    return db.execute("SELECT * FROM orders WHERE reference = ?", [reference]).fetchone()


def take(event, result):
    """Takes a callback once, and returns when it is on the disk: what is answered with 2xx is not sent again."""
    with database() as db:
        # Of ten copies at one moment nine wait here.
        db.execute("BEGIN IMMEDIATE")
        order = find(db, result[0])
        # A payment that nobody asked for is no reason to have it sent again.
        if order and db.execute("INSERT OR IGNORE INTO taken VALUES (?)", [event]).rowcount == 1:
            status = after(order, result)
            paid = order["amount"] if status == "paid" else 0
            # Here goods are handed out, once.
            handed_out = status == "paid" and order["status"] != "paid"
            db.execute(
                "UPDATE orders SET status = ?, fulfilled = fulfilled + ?, paid = ? WHERE reference = ?",
                [status, handed_out, paid, order["reference"]],
            )
        db.execute("COMMIT")


app = FastAPI(openapi_url=None)


async def genuine(request: Request) -> bytes:
    """The bytes. A parameter with a model would read, parse and refuse them before anything was verified."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise HTTPException(415)
    body = b""
    # request.body() has no limit.
    async for chunk in request.stream():
        body += chunk
        if len(body) > LARGEST:
            raise HTTPException(413)
    if not is_genuine(request.headers, body):
        raise HTTPException(401)
    return body


# Not async: it waits for the disk, on a thread of its own.
@app.post("/callback")
def callback(request: Request, body: bytes = Depends(genuine)):
    result = result_of(body)
    if result is None:
        raise HTTPException(400)
    take(request.headers["webhook-id"], result)
    return Response(status_code=204)


# For tests alone: they say what is expected, and ask what came of it. A shop has orders of its own.
@app.post("/orders", status_code=201)
def expect(order: dict):
    with database() as db:
        values = [order["reference"], order["amount"], order["currency"]]
        db.execute("INSERT INTO orders (reference, amount, currency) VALUES (?, ?, ?)", values)
        return dict(find(db, order["reference"]))


@app.get("/orders/{reference}")
def show(reference: str):
    with database() as db:
        order = find(db, reference)
    if order is None:
        raise HTTPException(404)
    return dict(order)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="warning")
