"""What a test of an integration does with a world, against a sandbox that runs."""

import re
from datetime import datetime, timedelta, timezone

import pytest

from payments_sandbox import SandboxError, World, verify

PAYMENT = {"account_id": 63, "amount": 100, "phone_number": "0712345678", "provider": "m-pesa", "network_code": "63902"}


def pay(world: World, reference: str = "order-1", **fields: object) -> dict:
    body = {**PAYMENT, "external_reference": reference, "callback_url": world.inbox_url, **fields}
    return world.call("createCollection", body)


def test_a_payment_succeeds_and_its_callback_is_signed(world):
    assert pay(world)["status"] == "QUEUED"
    world.settle()
    callback = world.wait_for_callback("order-1")
    assert (callback.body["status"], callback.body["amount"]) == ("success", 100)
    assert callback.external_reference == "order-1"
    verify(world.secret, callback.headers, callback.raw)


def test_a_payment_has_a_default_for_everything(world):
    payment = world.pay()
    assert (payment.status, payment.operation, payment.outcome) == (201, "createCollection", None)
    assert payment.response["status"] == "QUEUED" and payment.request["external_reference"] == payment.reference
    world.settle()
    callback = world.callback(payment)
    assert (callback.body["status"], callback.verified, callback.deliveries, callback.status) == ("success", True, 1, 200)
    assert world.requests.explain(payment.request_id)["decided_by"] == "default"


def test_an_outcome_decides_how_a_payment_ends(world):
    payments = [world.pay(outcome="payer-cancels", reference="order-1"), world.pay_out(outcome="recipient-not-found")]
    payments += [world.pay(outcome="card-declined"), world.pay(country="NG", rail="bank", amount=5000, outcome="insufficient_funds")]
    world.settle()
    assert [world.callback(each).body["status"] for each in payments] == ["failed"] * 4
    assert world.callback("order-1").external_reference == "order-1"
    assert [world.transaction(each.reference)["transaction"]["reason"] for each in payments] == [
        "cancelled", "recipient_not_found", "card_declined", "insufficient_funds"]
    assert payments[3].request["currency"] == "NGN" and payments[3].request["amount"] == 5000


def test_a_duplicate_callback_counts_two_deliveries(world):
    payment = world.pay(outcome="duplicate-callback", fields={"is_offline": False})
    world.settle()
    assert world.callback(payment).deliveries == 2


def test_an_unknown_outcome_gets_the_nearest(world):
    with pytest.raises(SandboxError, match="payer-cancels") as refused:
        world.pay(outcome="payer-cancel")
    assert (refused.value.status, refused.value.code) == (404, "resource_not_found")
    with pytest.raises(SandboxError, match="outcome"):
        world.pay(outcom="payer-cancels")


def test_a_rejected_payment_raises_the_error_of_the_service(world):
    with pytest.raises(SandboxError, match="amount") as refused:
        world.pay(fields={"amount": -1})
    assert refused.value.status == 400


def test_a_scripted_phone_number_fails_the_payment(world):
    number = world.number_for("payer-cancels")
    assert number == "0700000002"
    pay(world, phone_number=number)
    world.settle()
    assert world.wait_for_callback("order-1").body["status"] == "failed"
    assert world.transaction("order-1")["transaction"]["reason"] == "cancelled"


def test_numbers_of_other_countries_and_accounts(world):
    assert world.number_for("payer-cancels", "UG") == "0770000002"
    assert world.number_for("payer-cancels", "UG", international=True) == "256770000002"
    assert world.account_for("account-not-found") == "9900000031"
    assert world.number_for("timeout") == world.number_for("prompt-expires")
    with pytest.raises(ValueError, match=r"no number means payer-cancel \(did you mean payer-cancels\?\)"):
        world.number_for("payer-cancel")
    with pytest.raises(ValueError, match=r"no number of FR \(known are KE, TZ, "):
        world.number_for("payer-cancels", "FR")


def test_the_clock_stands_still_until_it_is_moved(world):
    before = world.clock.now()
    assert world.clock.now() == before
    world.scenario("late-success")
    pay(world)
    world.clock.advance("1m")
    assert world.transaction("order-1")["transaction"]["status"] == "FAILED"
    assert [each["kind"] for each in world.clock.advance(timedelta(hours=1))["jobs"]]
    assert world.transaction("order-1")["transaction"]["status"] == "SUCCESS"
    assert world.clock.now() == before + timedelta(hours=1, minutes=1)
    world.clock.advance(datetime(2030, 1, 1, tzinfo=timezone.utc))
    assert world.clock.now().year == 2030
    with pytest.raises(ValueError, match="has no zone"):
        world.clock.advance(datetime(2031, 1, 1))


def test_a_clock_that_goes(world):
    world.clock.speed(3600)
    assert world.clock.show()["speed"] == 3600
    world.clock.resume()
    world.clock.freeze()
    assert world.clock.show()["speed"] == 0


def test_callbacks_come_to_a_receiver_of_the_test(world):
    took = []
    with world.listen(lambda callback: took.append(callback.body["status"])) as receiver:
        pay(world, callback_url=receiver.url + "callbacks?shop=1")
        world.settle()
        (callback,) = receiver.wait()
    assert took == ["success"]
    assert (callback.path, callback.verified, callback.response_status) == ("/callbacks?shop=1", True, 204)


def test_a_forged_callback_is_refused_and_kept_from_the_handler(world):
    took = []
    with world.listen(took.append) as receiver:
        pay(world, callback_url=receiver.url)
        world.settle()
        receiver.wait()
        world.callbacks.fire("order-1", fault="tampered")
        world.settle(within="1s")
        *_, forged = receiver.received
        assert (forged.verified, forged.response_status) == (False, 401)
        assert "no signature is of these bytes" in forged.problem
        assert len(took) == 1
        with pytest.raises(TimeoutError, match=r"1 of 2 callbacks came .*; refused were POST / \(no signature"):
            receiver.wait(2, timeout=0)


def test_a_receiver_that_checks_nothing_takes_all(world):
    with world.listen(check=False) as receiver:
        pay(world, callback_url=receiver.url)
        world.settle()
        world.callbacks.fire("order-1", fault="unsigned")
        world.settle()
        assert [(each.verified, each.response_status) for each in receiver.received] == [(True, 204), (False, 204)]


def test_a_receiver_that_answers_500_is_tried_again(world):
    answers = iter([500, 503, 200])
    with world.listen(lambda callback: next(answers)) as receiver:
        pay(world, callback_url=receiver.url)
        world.settle()
        assert [each.response_status for each in receiver.received] == [500, 503, 200]
    callback = world.wait_for_callback("order-1")
    assert [attempt["response"]["status"] for attempt in callback.attempts] == [500, 503, 200]


def test_what_the_handler_raises_is_raised_by_the_receiver(world):
    def handler(callback):
        assert callback.body["status"] == "failed"

    with pytest.raises(AssertionError):
        with world.listen(handler) as receiver:
            pay(world, callback_url=receiver.url)
            world.settle(within="5s")


def test_resend_sends_the_same_bytes_again(world):
    pay(world)
    world.settle()
    callback = world.wait_for_callback("order-1")
    world.callbacks.resend(callback)
    world.settle()
    first, second = world.inbox.messages()
    assert first["body"] == second["body"] and first["headers"]["webhook-id"] == second["headers"]["webhook-id"]
    assert len(world.callbacks.get(callback).attempts) == 2


@pytest.mark.parametrize("wrong", [None, 5, {}, ""])
def test_a_callback_needs_a_payment(world, wrong):
    for call in (world.callback, world.wait_for_callback, world.callbacks.wait, world.transaction, world.timeline):
        with pytest.raises(TypeError, match=f"reference must be a payment or its reference, got {re.escape(repr(wrong))}"):
            call(wrong)


def test_a_payment_stands_for_its_reference(world):
    payment = world.pay(outcome="payer-cancels")
    world.settle()
    assert world.transaction(payment)["transaction"]["status"] == "FAILED"
    assert world.timeline(payment)["status"] == "FAILED"
    assert world.wait_for_callback(payment).external_reference == payment.reference


def test_without_a_reference_the_newest_callback_of_the_world_is_returned(world):
    pay(world)
    world.settle()
    assert world.wait_for_callback().external_reference == "order-1"


def test_a_callback_that_does_not_come_says_why(world):
    pay(world)
    with pytest.raises(SandboxError) as waited:
        world.wait_for_callback("order-1", timeout=0)
    assert (waited.value.status, waited.value.code) == (504, "deadline_exceeded")
    assert waited.value.body["scheduled"][0]["kind"] == "settle"


def test_the_secret_is_rotated_with_an_overlap(world):
    older = world.secret
    assert world.rotate_secret(overlap=timedelta(hours=1)) != older
    pay(world)
    world.settle()
    callback = world.wait_for_callback("order-1")
    verify(world.secret, callback.headers, callback.raw)
    verify(older, callback.headers, callback.raw)


def test_the_record_and_why(world):
    pay(world, phone_number="0700000002")
    (request,) = world.requests.list(operation="createCollection")
    assert request["status"] == 201
    assert world.requests.find({"amount": {"gte": 100}})[0]["id"] == request["id"]
    assert world.requests.count({"operation": "createWithdrawal"}) == 0
    assert world.requests.explain(request["id"])["scenario"] == "payer-cancels"
    assert world.requests.curl(request["id"]).startswith("curl")
    assert world.requests.wait(reference="order-1")[0]["id"] == request["id"]
    with pytest.raises(SandboxError, match="referenz"):
        world.requests.list(referenz="order-1")
    world.requests.clear()
    assert world.requests.list() == []


def test_a_scenario_of_its_own_as_a_dict(world):
    world.scenarios.put("slow-and-late", {"title": "Slow", "then": {"settle": {"after": "3h", "status": "failed", "reason": "expired"}}})
    world.scenarios.next("slow-and-late")
    pay(world)
    pay(world, "order-2")
    world.settle()
    assert world.transaction("order-1")["transaction"]["reason"] == "expired"
    assert world.transaction("order-2")["transaction"]["status"] == "SUCCESS"
    with pytest.raises(SandboxError, match="did you mean expired"):
        world.scenarios.put("wrong", {"title": "Wrong", "then": {"settle": {"after": "3h", "status": "failed", "reason": "expird"}}})
    assert world.scenarios.check("title: A file\nthen: { settle: { status: failed, reason: cancelled } }\n")["issues"] == []
    world.scenarios.delete("slow-and-late")
    world.scenarios.reset()


def test_a_scenario_that_is_not_there(world):
    with pytest.raises(SandboxError) as refused:
        world.scenario("payer-cancel")
    assert refused.value.status == 404


def test_snapshot_restore_and_reset(world):
    pay(world)
    snapshot = world.snapshot("paid")
    pay(world, "order-2")
    assert len(world.transactions()) == 2
    world.restore(snapshot)
    assert [each["external_reference"] for each in world.transactions()] == ["order-1"]
    world.reset()
    assert world.transactions() == []


def test_any_operation_by_its_name(world):
    assert world.call("getTeam", id=63)["team"]["id"] == 63
    assert "lines" in world.call("getStatement", account_id=63, from_="2020-01-01")
    with pytest.raises(TypeError, match=r"there is no operation createColection \(did you mean createCollection\?\)"):
        world.call("createColection")
    with pytest.raises(TypeError, match=r"getCallback \(GET /sandbox/callbacks/\{id\}\): idd is not known here \(did you mean id\?\); id is missing"):
        world.call("getCallback", idd=1)
    with pytest.raises(SandboxError) as refused:
        pay(world, amount="many")
    assert refused.value.status == 400 and "amount" in str(refused.value)


def test_a_request_whatever_its_answer(world):
    answer = world.request("POST", "/api/v2/payments", {"amount": -1})
    assert answer.status == 400 and answer.json()["error_code"]
    assert world.requests.explain(answer.request_id)["decided_by"] == "rejected"


def test_an_answer_that_is_lost_is_a_connection_that_broke(world):
    world.scenario("lost-response")
    with pytest.raises(OSError):
        pay(world)
    assert world.transaction("order-1")["transaction"]["status"] == "QUEUED"


def test_money(world):
    before = world.balance("team:63:wallet")
    world.call("fundTeam", {"wallet": "wallet", "amount": 500, "currency": "KES"}, id=63)
    assert world.balance("team:63:wallet") == before + 500


def test_an_inbox_that_fails_first(world):
    world.inbox.respond([500, 200])
    pay(world)
    world.settle()
    assert [each["response_status"] for each in world.inbox.messages()] == [200, 500]
    assert all(each["signature_valid"] for each in world.inbox.messages())
    world.inbox.clear()
    assert world.inbox.url() == world.inbox_url


@pytest.mark.world(clock="2027-01-01T00:00:00Z", settings={"callback_shape": "nested"}, name="nested")
def test_a_world_made_as_the_marker_says(world):
    assert world.clock.now() == datetime(2027, 1, 1, tzinfo=timezone.utc)
    world.configure(settle_after="500ms")
    assert world.call("getWorld", world="current")["name"] == "nested"


def test_worlds_do_not_notice_one_another(world, make_world):
    other = make_world(clock=2.5)
    pay(world)
    assert (len(world.transactions()), len(other.transactions())) == (1, 0)
    assert other.clock.show()["speed"] == 2.5
    with pytest.raises(ValueError, match=r"clock: 'frosen' is neither a time nor known \(did you mean frozen\?\)"):
        make_world(clock="frosen")


def test_a_world_ends_with_its_block(sandbox):
    with sandbox.world() as world:
        pay(world)
    with pytest.raises(SandboxError, match=r"the world of demo\+w-[\w-]+ has ended") as refused:
        world.transactions()
    assert refused.value.status == 401
    world.delete()
