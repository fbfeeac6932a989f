import threading
import time

import pytest
import uvicorn
from fastapi import FastAPI

from payments_app import payments_router
from payments_receiver import Receiver


class Shop:
    def __init__(self):
        self.orders, self.received, self.failures, self.callback_url = {}, [], 0, ""

    def on_payment(self, payment):
        if self.failures > 0:
            self.failures -= 1
            raise RuntimeError("the database is down")
        self.received.append(payment["external_reference"])
        self.orders[payment["external_reference"]] = payment["status"]


@pytest.fixture
def shop(world):
    shop = Shop()
    receiver = Receiver(world.secret, shop.on_payment)
    app = FastAPI()
    app.include_router(payments_router(receiver))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    shop.callback_url = f"127.0.0.1:{port}/callbacks/payments"
    yield shop
    server.should_exit = True
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


def test_a_payment_that_could_not_be_stored_is_stored_at_the_next_attempt(world, shop):
    shop.failures = 1
    payment = world.pay(callback_url=shop.callback_url)
    world.settle()
    assert shop.orders[payment.reference] == "success"
