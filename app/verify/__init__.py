"""Check a match from its public log alone, with nothing but the standard library of Python.

    python -m app.verify match.json

What it proves and what it does not: docs/fairness.md.
"""

from app.verify.check import NOT_COVERED, Lie, NotALog, Report, verify

__all__ = ["NOT_COVERED", "Lie", "NotALog", "Report", "verify"]
