"""Tests the shop against a sandbox, with the plugin of clients/python. Each test has a world of its own, whose clock stands still."""

import json
import time

import pytest
from payments_sandbox import sign

from shop import Shop


@pytest.fixture
def shop(world):
    return Shop(world.url, world.username, world.password, world.inbox_url, world.secret)


def deliver(world, shop):
    for message in reversed(world.inbox.messages()):
        shop.callback(message["headers"], message["body"].encode())


def test_a_payment_is_taken(world, shop):
    shop.checkout("order-1", 100, "0712345678")
    assert shop.order("order-1")["state"] == "waiting"
    world.settle()
    deliver(world, shop)
    assert shop.order("order-1")["state"] == "paid"


def test_the_payer_cancels(world, shop):
    world.scenario("payer-cancels")
    shop.checkout("order-2", 100, "0712345678")
    world.settle()
    deliver(world, shop)
    assert shop.order("order-2")["state"] == "unpaid"


def test_the_callback_comes_twice_and_counts_once(world, shop):
    world.scenario("duplicate-callback")
    shop.checkout("order-3", 100, "0712345678")
    world.settle()
    assert len(world.inbox.messages()) == 2
    deliver(world, shop)
    assert (shop.order("order-3")["state"], shop.order("order-3")["receipts"]) == ("paid", 1)


def test_success_comes_late(world, shop):
    world.scenario("late-success")
    shop.checkout("order-4", 100, "0712345678")
    world.clock.advance("1m")
    deliver(world, shop)
    assert shop.order("order-4")["state"] != "paid"
    world.clock.advance("1h")
    deliver(world, shop)
    assert shop.order("order-4")["state"] == "paid"


def test_the_answer_is_lost_the_payment_is_not(world, shop):
    world.scenario("lost-response")
    shop.checkout("order-5", 100, "0712345678")
    world.scenarios.off("lost-response")
    world.settle()
    deliver(world, shop)
    assert shop.order("order-5")["state"] == "paid"
    assert world.requests.count({"operation": "createCollection"}) == 1


def signed(secret, event, **result):
    """A callback of anybody's who knows the secret; without it nobody can sign one."""
    body = json.dumps({"external_reference": "order-6", "status": "success", "amount": 100, "currency": "KES", **result})
    return sign(secret, event, int(time.time()), body.encode()), body.encode()


def test_a_callback_that_is_not_signed_by_the_service_pays_nothing(world, shop):
    shop.checkout("order-6", 100, "0712345678")
    assert shop.callback(*signed("whsec_Z3Vlc3NlZA==", "evt_1")) == 401
    headers, body = signed(world.secret, "evt_1")
    assert shop.callback(headers, body.replace(b"100", b"1")) == 401
    assert shop.callback({}, body) == 401
    assert shop.callback({**headers, "webhook-timestamp": "1700000000"}, body) == 401
    assert shop.order("order-6")["state"] == "waiting"
    assert shop.callback(headers, body) == 204
    assert shop.order("order-6")["state"] == "paid"


def test_a_callback_of_another_amount_currency_or_order_pays_nothing(world, shop):
    shop.checkout("order-6", 100, "0712345678")
    shop.callback(*signed(world.secret, "evt_1", external_reference="order-7"))
    assert shop.order("order-6")["state"] == "waiting"
    shop.callback(*signed(world.secret, "evt_2", amount=1))
    shop.callback(*signed(world.secret, "evt_3", currency="UGX"))
    assert (shop.order("order-6")["state"], shop.order("order-6")["receipts"]) == ("disputed", 0)
