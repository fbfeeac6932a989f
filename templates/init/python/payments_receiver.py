"""Receives callbacks of payments."""

import base64
import hashlib
import hmac
import json
import re
import threading
import time

TOLERANCE = 300  # seconds
LIMIT = 65_536  # bytes
LOCK = threading.Lock()


def is_genuine(secret: str, headers, body: bytes) -> bool:
    """Returns whether the sandbox signed these bytes with this secret."""
    event, timestamp = headers.get("webhook-id"), headers.get("webhook-timestamp", "")
    if not event or not re.fullmatch("[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:  # everyone can sign with an empty key
        return False
    signed = f"{event}.{timestamp}.".encode("latin-1") + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256))
    sent = headers.get("webhook-signature", "").encode("latin-1").split(b" ")
    return any(hmac.compare_digest(each, expected) for each in sent)


class Receiver:
    """Calls on_payment once for each callback, however often it is delivered; again if it fails."""

    def __init__(self, secret: str, on_payment, seen=None):
        self.secret = secret
        self.on_payment = on_payment
        # In production, keep the ids in your database, in the transaction that books the payment.
        self.seen = set() if seen is None else seen

    def receive(self, headers, body: bytes) -> int:
        """Returns the status of the response."""
        if len(body) > LIMIT:
            return 413
        if not is_genuine(self.secret, headers, body):
            return 401
        event = headers.get("webhook-id")
        with LOCK:
            if event not in self.seen:
                self.on_payment(json.loads(body))
                # After on_payment: if it fails, the next attempt must not count as a copy.
                self.seen.add(event)
        return 204
