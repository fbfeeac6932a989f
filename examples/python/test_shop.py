"""Tests the shop over HTTP against a running sandbox: SANDBOX_URL says where. Each test has a world of its own."""

import base64
import hashlib
import hmac
import json
import os
import time
import urllib.request

import pytest

from shop import Shop

URL = os.environ["SANDBOX_URL"]


class World:
    """What the tests need of the sandbox's own API; no library."""

    def __init__(self, username, password, secret=None):
        self.username, self.password, self.secret = username, password, secret

    def __call__(self, method, path, body=None):
        token = base64.b64encode(f"{self.username}:{self.password}".encode()).decode()
        request = urllib.request.Request(
            URL + path,
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Basic {token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def scenario(self, name, on=True):
        self("PATCH", f"/sandbox/scenarios/{name}", {"on": on})

    def inbox(self):
        return self("GET", "/sandbox/inbox/default")

    def settle(self):
        self("POST", "/sandbox/settle")

    def deliver(self, shop):
        for message in reversed(self.inbox()["messages"]):
            shop.callback(message["headers"], message["body"])


@pytest.fixture
def world():
    made = World("demo", "demo")("POST", "/sandbox/worlds", {"clock": {"factor": 0}})
    return World(made["credentials"]["username"], made["credentials"]["password"], made["signing_secret"])


@pytest.fixture
def shop(world):
    return Shop(URL, world.username, world.password, world.inbox()["address"], world.secret)


def test_a_payment_is_taken(world, shop):
    shop.checkout("order-1", 100, "0712345678")
    assert shop.orders["order-1"]["state"] == "waiting"
    world.settle()
    world.deliver(shop)
    assert shop.orders["order-1"]["state"] == "paid"


def test_the_payer_cancels(world, shop):
    world.scenario("payer-cancels")
    shop.checkout("order-2", 100, "0712345678")
    world.settle()
    world.deliver(shop)
    assert shop.orders["order-2"]["state"] == "unpaid"


def test_the_callback_comes_twice_and_counts_once(world, shop):
    world.scenario("duplicate-callback")
    shop.checkout("order-3", 100, "0712345678")
    world.settle()
    assert len(world.inbox()["messages"]) == 2
    world.deliver(shop)
    assert (shop.orders["order-3"]["state"], shop.orders["order-3"]["receipts"]) == ("paid", 1)


def test_success_comes_late(world, shop):
    world.scenario("late-success")
    shop.checkout("order-4", 100, "0712345678")
    world("POST", "/sandbox/clock/advance", {"by": "1m"})
    world.deliver(shop)
    assert shop.orders["order-4"]["state"] != "paid"
    world("POST", "/sandbox/clock/advance", {"by": "1h"})
    world.deliver(shop)
    assert shop.orders["order-4"]["state"] == "paid"


def test_the_answer_is_lost_the_payment_is_not(world, shop):
    world.scenario("lost-response")
    shop.checkout("order-5", 100, "0712345678")
    world.scenario("lost-response", on=False)
    world.settle()
    world.deliver(shop)
    assert shop.orders["order-5"]["state"] == "paid"
    count = world("POST", "/sandbox/requests/count", {"operation": "createCollection"})["count"]
    assert count == 1


def signed(secret, event, **result):
    """A callback of anybody's who knows the secret; without it nobody can sign one."""
    body = json.dumps({"external_reference": "order-6", "status": "success", "amount": 100, "currency": "KES", **result})
    timestamp = str(int(time.time()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    own = hmac.new(key, f"{event}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(own).decode()
    return {"webhook-id": event, "webhook-timestamp": timestamp, "webhook-signature": signature}, body


def test_a_callback_that_is_not_signed_by_the_service_pays_nothing(world, shop):
    shop.checkout("order-6", 100, "0712345678")
    assert shop.callback(*signed("whsec_Z3Vlc3NlZA==", "evt_1")) == 401
    headers, body = signed(world.secret, "evt_1")
    assert shop.callback(headers, body.replace("100", "1")) == 401
    assert shop.callback({}, body) == 401
    assert shop.callback({**headers, "webhook-timestamp": "1700000000"}, body) == 401
    assert shop.orders["order-6"]["state"] == "waiting"
    assert shop.callback(headers, body) == 204
    assert shop.orders["order-6"]["state"] == "paid"


def test_a_callback_of_another_amount_currency_or_order_pays_nothing(world, shop):
    shop.checkout("order-6", 100, "0712345678")
    shop.callback(*signed(world.secret, "evt_1", external_reference="order-7"))
    assert shop.orders["order-6"]["state"] == "waiting"
    shop.callback(*signed(world.secret, "evt_2", amount=1))
    shop.callback(*signed(world.secret, "evt_3", currency="UGX"))
    assert (shop.orders["order-6"]["state"], shop.orders["order-6"]["receipts"]) == ("disputed", 0)
