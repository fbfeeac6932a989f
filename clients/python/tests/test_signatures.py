"""Signatures of callbacks, without a sandbox."""

import pytest

from payments_sandbox import BadSignature, sign, verify

SECRET = "whsec_cGF5bWVudHMtc2FuZGJveC1kZW1vLW5vdC1zZWNyZXQ="
BODY = b'{"status":"success"}'
NOW = 1_800_000_000
HEADERS = sign(SECRET, "msg_1", NOW, BODY)


def test_a_callback_that_was_signed_is_genuine():
    verify(SECRET, HEADERS, BODY, now=NOW + 300)
    verify(SECRET, {name.upper(): value for name, value in HEADERS.items()}, BODY, now=NOW)
    older = sign("whsec_b2xkZXI=", "msg_1", NOW, BODY)["webhook-signature"]
    verify(SECRET, {**HEADERS, "webhook-signature": f"{older} {HEADERS['webhook-signature']}"}, BODY, now=NOW)


@pytest.mark.parametrize(
    ("headers", "body", "says"),
    [
        ({}, BODY, "no header webhook-id, webhook-timestamp, webhook-signature: it is not signed"),
        (HEADERS, b"{}", "no signature is of these bytes"),
        (sign("whsec_b3RoZXI=", "msg_1", NOW, BODY), BODY, "no signature is of these bytes"),
        (sign(SECRET, "msg_1", NOW - 301, BODY), BODY, "signed 301 s ago: at most 300 s"),
        (sign(SECRET, "msg_1", NOW + 600, BODY), BODY, "signed 600 s from now"),
        ({**HEADERS, "webhook-timestamp": "soon"}, BODY, "webhook-timestamp is 'soon'"),
        ({**HEADERS, "webhook-timestamp": "\u0661"}, BODY, "must be seconds"),
        ({**HEADERS, "webhook-signature": "v1,\u00e4 v1,"}, BODY, "no signature is of these bytes"),
    ],
)
def test_any_other_is_refused_with_the_reason(headers, body, says):
    with pytest.raises(BadSignature, match=says):
        verify(SECRET, headers, body, now=NOW)


@pytest.mark.parametrize("secret", ["", "whsec_"])
def test_rejects_an_empty_secret(secret):
    with pytest.raises(ValueError, match="the secret is"):
        verify(secret, HEADERS, BODY, now=NOW)
