"""Asynchronous: the source of `_sync`, which `tools/write_sync.py` writes."""
