"""The first five minutes as they are written down: the test in the guides is saved and run."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
GUIDES = [HERE / "README.md", HERE.parent.parent / "docs" / "first-test.md"]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.name)
def test_the_first_test_of_the_guide_passes(guide, pytester, sandbox, monkeypatch):
    if not guide.exists():
        pytest.skip(f"{guide} is not there")
    found = re.search(r"^Save as `test_payment\.py`.*?```python\n(.*?)```", guide.read_text(), re.DOTALL | re.MULTILINE)
    assert found, f"{guide.name} has no test to save as test_payment.py"
    monkeypatch.setenv("PAYMENTS_SANDBOX_URL", sandbox.url)
    pytester.makepyfile(test_payment=found.group(1))
    pytester.runpytest().assert_outcomes(passed=1)
