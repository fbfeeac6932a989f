"""Signatures of callbacks in the profile ``standard`` (Standard Webhooks), with the standard library."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping

TOLERANCE = 300
"""Maximum age of a callback in seconds. An older one may be a replay."""


class BadSignature(ValueError):
    """The signature of a callback is invalid; the message contains the reason."""


def sign(secret: str, event_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Returns the signature headers of a callback.

    :param secret: the signing secret, ``whsec_…``
    :param timestamp: seconds of real time
    """
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": _signature(secret, event_id, str(timestamp), body),
    }


def verify(secret: str, headers: Mapping[str, str], body: bytes, *, now: float | None = None) -> None:
    """Checks the signature and the age of a callback.

    :param headers: in any case
    :param body: the received bytes, before JSON parsing
    :raises BadSignature: if the signature is invalid
    :raises ValueError: if the secret is empty
    """
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError(f"body must be the received bytes, before decoding, got {type(body).__name__}")
    named = {name.lower(): value for name, value in headers.items()}
    missing = [name for name in ("webhook-id", "webhook-timestamp", "webhook-signature") if not named.get(name)]
    if missing:
        raise BadSignature(f"the callback has no header {', '.join(missing)}: it is not signed")
    timestamp = named["webhook-timestamp"]
    if not (timestamp.isascii() and timestamp.isdigit()):
        raise BadSignature(f"webhook-timestamp is {timestamp!r}: it must be seconds, such as 1767225600")
    age = (time.time() if now is None else now) - int(timestamp)
    if abs(age) > TOLERANCE:
        when = f"{age:.0f} s ago" if age > 0 else f"{-age:.0f} s from now"
        raise BadSignature(f"it was signed {when}: at most {TOLERANCE} s are accepted")
    expected = _signature(secret, named["webhook-id"], timestamp, body).encode()
    # During a rotation there are several signatures, separated by spaces.
    if not any(hmac.compare_digest(each.encode(), expected) for each in named["webhook-signature"].split(" ")):
        raise BadSignature("no signature is of these bytes with this secret: compare the secret, and take the raw body")


def _signature(secret: str, event_id: str, timestamp: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if not key:
        # Anyone can sign with an empty key.
        raise ValueError(f"the secret is {secret!r}: it must be whsec_ and base64, as world.secret is")
    own = hmac.new(key, f"{event_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(own).decode()
