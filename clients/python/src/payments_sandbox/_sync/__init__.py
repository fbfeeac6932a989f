"""Blocking: written by `tools/write_sync.py` from `_async`, but for `transport.py`."""
