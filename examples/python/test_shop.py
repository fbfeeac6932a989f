"""Tests the shop over HTTP against a running sandbox: SANDBOX_URL says where. Each test has a world of its own."""

import base64
import json
import os
import urllib.request

import pytest

from shop import Shop

URL = os.environ["SANDBOX_URL"]


class World:
    """What the tests need of the sandbox's own API; no library."""

    def __init__(self, username, password):
        self.username, self.password = username, password

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
            shop.callback(json.loads(message["body"]))


@pytest.fixture
def world():
    made = World("demo", "demo")("POST", "/sandbox/worlds", {"clock": {"factor": 0}})
    return World(made["credentials"]["username"], made["credentials"]["password"])


@pytest.fixture
def shop(world):
    return Shop(URL, world.username, world.password, world.inbox()["address"])


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
    assert shop.orders["order-3"] == {"state": "paid", "receipts": 1}


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
