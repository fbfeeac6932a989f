"""Every operation of the descriptions, as the tests of every client call it."""

import json
from pathlib import Path

import pytest

from payments_sandbox import SandboxError

CALLS = Path(__file__).parent.parent.parent / "calls.json"


@pytest.mark.skipif(not CALLS.exists(), reason="only in a checkout")
def test_every_operation_gets_its_response(world):
    for call in json.loads(CALLS.read_text()):
        parameters = {"from_" if name == "from" else name: value for name, value in call["parameters"].items()}
        code = ""
        try:
            world.call(call["operation"], call.get("body"), **parameters)
        except SandboxError as refused:
            code = refused.code
        assert code == call["code"], call["operation"]
