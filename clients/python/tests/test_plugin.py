"""What users of the plugin see of it: each test runs pytest within pytest."""

import os
import sys

import pytest

PAY = """
PAYMENT = {"account_id": 63, "amount": 100, "phone_number": "0712345678", "provider": "m-pesa", "network_code": "63902"}

def pay(world, reference="order-1", **fields):
    return world.call("createCollection", {**PAYMENT, "external_reference": reference, "callback_url": world.inbox_url, **fields})
"""


@pytest.fixture(autouse=True)
def one_sandbox_for_all(sandbox, monkeypatch):
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", sandbox.url)


def test_a_test_that_fails_shows_what_happened_in_its_world(pytester):
    pytester.makepyfile(PAY + """
def test_paid(world):
    pay(world, phone_number="0700000002", callback_url="http://127.0.0.1:9/callbacks")
    world.settle()
    assert world.transaction("order-1")["transaction"]["status"] == "SUCCESS"
""")
    result = pytester.runpytest()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([
        "*payments sandbox, world demo+*",
        "The world's time is *, and the clock is frozen: *",
        "* (order-1): KES 100.00, FAILED, cancelled, by the scenario payer-cancels",
        "  *  request   createCollection: 201",
        "  *  state     FAILED*",
        "  *  attempt   connection refused*",
        "  *  attempt   the same, 5 more until then",
        "  callback 1: *",
        "Open http://127.0.0.1:*/dashboard as * while the sandbox runs.",
    ])


def test_a_test_that_fails_shows_what_was_refused(pytester):
    pytester.makepyfile(PAY + """
def test_refused(world):
    world.request("POST", "/api/v2/payments", {"amount": 1})
    assert world.transactions()
""")
    pytester.runpytest().stdout.fnmatch_lines(["Rejected requests:", "  req_*: POST /api/v2/payments answered 400: *"])


def test_an_asynchronous_test_that_fails_shows_it_too(pytester):
    pytester.makepyfile("""
import pytest

@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_nothing(async_world, anyio_backend):
    assert await async_world.transactions()
""")
    pytester.runpytest().stdout.fnmatch_lines(["*payments sandbox, world demo+*", "No request reached the service*"])


def test_a_test_that_fails_before_its_app_called_says_so(pytester):
    pytester.makepyfile("def test_nothing(world): assert world.transactions()")
    pytester.runpytest().stdout.fnmatch_lines(["No request reached the service in this world: does your application use its address*"])


def test_a_refusal_is_told_without_the_lines_of_the_client(pytester):
    pytester.makepyfile("def test_typo(world): world.scenario('payer-cancel')")
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["E * payments_sandbox._errors.SandboxError: PATCH /sandbox/scenarios/payer-cancel: *payer-cancels*"])
    result.stdout.no_fnmatch_line("*urllib*")


def test_a_test_that_passes_shows_nothing_and_leaves_no_world(pytester, sandbox):
    pytester.makepyfile("def test_passes(world): print(world.id)")
    result = pytester.runpytest("-s")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("*payments sandbox, world*")
    world = next(line for line in result.outlines if "demo+w-" in line).split()[-1].rstrip(".")
    with sandbox.world() as owner:
        assert world not in str(owner.call("listWorlds", limit=1000))


def test_what_a_marker_does_not_know_is_told(pytester):
    pytester.makepyfile("import pytest\n@pytest.mark.world(clok='real')\ndef test_marked(world): pass")
    pytester.runpytest().stdout.fnmatch_lines(["@pytest.mark.world: clok is not known here (did you mean clock?[)]"])


def test_the_clock_of_all_tests(pytester):
    pytester.makeini("[pytest]\npayments_sandbox_clock = real")
    pytester.makepyfile("def test_real(world): assert world.clock.show()['speed'] == 1")
    pytester.runpytest().assert_outcomes(passed=1)


def test_workers_of_xdist_do_not_notice_one_another(pytester):
    pytester.makepyfile(PAY + """
import pytest

@pytest.mark.parametrize("number", range(8))
def test_alone(world, number):
    pay(world, f"order-{number}")
    assert [each["external_reference"] for each in world.transactions()] == [f"order-{number}"]
""")
    pytester.runpytest("-n2").assert_outcomes(passed=8)


def test_no_sandbox_says_what_would_do(pytester, monkeypatch):
    monkeypatch.delenv("PAYMENTS_SANDBOX_URL")
    monkeypatch.delenv("PAYMENTS_SANDBOX_COMMAND", raising=False)
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable))
    # There pytest repeats whole messages in its summary.
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)
    pytester.makepyfile("def test_any(world): pass\ndef test_other(world): pass\ndef test_third(world): pass")
    result = pytester.runpytest()
    result.assert_outcomes(errors=3)
    result.stdout.fnmatch_lines(["there is no sandbox: *", "*PAYMENTS_SANDBOX_URL=*", "*PAYMENTS_SANDBOX_COMMAND=*"])
    assert result.stdout.str().count("PAYMENTS_SANDBOX_COMMAND=") == 1
    assert result.stdout.str().count("\nthere is no sandbox: the first error of this run lists the remedies") == 2


def test_a_sandbox_that_does_not_start_says_why(pytester, monkeypatch):
    monkeypatch.delenv("PAYMENTS_SANDBOX_URL")
    monkeypatch.setenv("PAYMENTS_SANDBOX_COMMAND", f"{sys.executable} -c \"raise SystemExit('no licence')\"")
    pytester.makepyfile("def test_any(world): pass")
    pytester.runpytest().stdout.fnmatch_lines(["*started no sandbox*It said:", "no licence"])


def test_an_address_where_nothing_answers(pytester, monkeypatch):
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", "http://127.0.0.1:9")
    pytester.makepyfile("def test_any(world): pass")
    pytester.runpytest().stdout.fnmatch_lines(["*no sandbox answers at http://127.0.0.1:9: start one there, or correct the address"])


def test_a_run_without_a_world_loads_no_client(pytester):
    pytester.makepyfile("""
import sys

def test_any():
    assert [name for name in sys.modules if name.startswith("payments_sandbox")] == ["payments_sandbox", "payments_sandbox.pytest_plugin"]
""")
    pytester.runpytest_subprocess().assert_outcomes(passed=1)
