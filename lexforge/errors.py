"""The one error tree. Every error a user can meet has a message, an advice and an exit code.

Exit codes (0 passed and 3 blocked are results, not errors):

====  =====================================================
code  meaning
====  =====================================================
1     a defect of LexForge itself
2     the command line was not understood (click's own code)
4     the matter folder or `matter.toml` is wrong
5     the sources could not be turned into a bundle
6     a seat cannot be served by the model its board file pins
7     a model answered something that cannot be used
8     the ledger or the matter database is damaged or busy
9     a connection was refused because everything stays local
10    a document could not be read or written
11    a run cannot be measured, or runs cannot be compared
130   stopped by the user; the next run goes on from here
====  =====================================================
"""

from __future__ import annotations

BLOCKED_EXIT_CODE = 3
INTERRUPTED_EXIT_CODE = 130


class LexForgeError(Exception):
    """Base of the tree: `message` says what happened, `advice` what to do about it."""

    exit_code = 1

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice

    def __str__(self) -> str:
        return f"{self.message} {self.advice}".strip()


class MatterError(LexForgeError):
    """The matter is missing, or `matter.toml` says something that cannot be used."""

    exit_code = 4


class BundleError(LexForgeError):
    """The sources as a whole cannot be sealed into a bundle."""

    exit_code = 5


class UnreadableFile(BundleError):
    """One file cannot be read; the rest of the matter goes on. `code` is a stable reason."""

    def __init__(self, code: str, message: str, advice: str) -> None:
        super().__init__(message, advice)
        self.code = code


class SeatUnavailable(LexForgeError):
    """A seat cannot be served by exactly the model its board file pins. `code` is a stable reason."""

    exit_code = 6

    def __init__(self, code: str, message: str, advice: str = "") -> None:
        super().__init__(message, advice)
        self.code = code


class AnswerError(LexForgeError):
    """A model's answer cannot be used as it stands."""

    exit_code = 7


class AnswerTruncated(AnswerError):
    """The answer was cut by the token limit; half an answer is never read as a whole one."""


class AnswerMalformed(AnswerError):
    """The answer does not have the form that was asked for."""


class SettingsIgnored(AnswerError):
    """The engine sampled with other settings than it was asked to; its answer proves nothing."""


class StoreError(LexForgeError):
    """The matter database or its ledger cannot be used."""

    exit_code = 8


class LedgerBroken(StoreError):
    """The hash chain of the ledger, or an artifact it names, does not verify."""


class MatterBusy(StoreError):
    """Another LexForge process holds this matter."""


class ConnectionRefused(LexForgeError):
    """Something tried to connect to an address that `lexforge.toml` does not list."""

    exit_code = 9


class DocumentError(LexForgeError):
    """A draft or an edited document cannot be read, written, or recognised."""

    exit_code = 10


class RunError(LexForgeError):
    """There is nothing to measure in a run, or runs cannot be compared."""

    exit_code = 11
