"""A sign of life from a reader that takes long for a good reason.

Recognising the words of a picture takes a second or two a page, and a page has a time limit of its own; without a sign
after each, a long scan would look like a file that never ends.
"""

from __future__ import annotations

from collections.abc import Callable

_listeners: list[Callable[[], None]] = []


def listen(told: Callable[[], None]) -> None:
    """Have `told` called at each sign of life in this process."""
    _listeners.append(told)


def sign() -> None:
    """Tell whoever waits that a part of the work is done."""
    for told in _listeners:
        told()
