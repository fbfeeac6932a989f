import pytest

from payments_views import payment_received

pytestmark = pytest.mark.urls("payments_views")


class Shop:
    def __init__(self, url):
        self.orders, self.received, self.failures, self.callback_url = {}, [], 0, f"{url}/callbacks/payments"

    def on_payment(self, payment, **_):
        if self.failures > 0:
            self.failures -= 1
            raise RuntimeError("the database is down")
        self.received.append(payment["external_reference"])
        self.orders[payment["external_reference"]] = payment["status"]


@pytest.fixture
def shop(world, live_server, settings):
    settings.PAYMENTS_WEBHOOK_SECRET = world.secret
    shop = Shop(live_server.url)
    payment_received.connect(shop.on_payment)
    yield shop
    payment_received.disconnect(shop.on_payment)


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
