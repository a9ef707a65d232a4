"""The slots of one llama-server: which is free, and the shared beginning that each answer starts behind.

What several requests begin with is read once, saved, and restored into whichever slot answers next. An answer then
never depends on what its slot read before it, and a fan-out reads its evidence once, not once a slot: 98 to 99 % of the
prompt tokens come from the cache, against 49 % with slots as they lie (`bench/serving/fan_out.py`, llama.cpp b11549).
What the other slots compute at the same time can still change the last bits, and with them a greedy text.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from queue import Empty, SimpleQueue
from secrets import token_hex

from lexforge.domain.record import sha256_of
from lexforge.errors import AnswerError, SeatUnavailable
from lexforge.llm.chat import messages, template_settings
from lexforge.llm.request import Request
from lexforge.llm.server import LONGEST_ANSWER, ServerClient

MOST_SAVED = 2
"""Saved beginnings at a time: each is the size of its KV cache and lies in memory (474 MB for 20k tokens of a 35B)."""

_QUESTIONS = ("A", "1", "\nA")
"""What every question begins with alike belongs to what is shared; these begin as differently as questions do."""
_PATIENCE = 5.0
"""Seconds for tidying up: whoever ends a run does not wait for an answer that somebody else is given."""


class Slots:
    """Hands out the slots of a server one request at a time; safe for several threads."""

    def __init__(self, client: ServerClient, count: int) -> None:
        self._client = client
        self._free: SimpleQueue[int] = SimpleQueue()
        for slot in range(count):
            self._free.put(slot)
        # Nobody else who uses this server writes over these, in this process or another.
        self._files = tuple(f"lexforge-{token_hex(4)}-{number}.bin" for number in range(MOST_SAVED))
        self._saved: OrderedDict[str, str] = OrderedDict()
        self._reading = threading.Lock()
        self.can_save = True

    @contextmanager
    def taken(self) -> Iterator[int]:
        """A slot of one's own; waits until one is free."""
        slot = self._free.get()
        try:
            yield slot
        finally:
            self._free.put(slot)

    def start_behind_shared(self, request: Request, slot: int) -> bool:
        """Put what `request` shares with others into `slot`; False when it shares nothing or slots cannot be saved."""
        if not request.shared or not self.can_save:
            return False
        said = [*messages(request)[: request.shared], request.messages[request.shared].role]
        key = sha256_of({"said": said, **template_settings(request)})
        # The first of several slots reads, the others wait and then only restore: while it is locked, nobody saves
        # another beginning under the name of this one.
        with self._reading, suppress(AnswerError, KeyError):  # a server that cannot do this is asked all the same
            if key not in self._saved and not self._save(request, slot, key):
                return False
            self._saved.move_to_end(key)
            return self._restored(slot, key)
        return False

    def release(self) -> None:
        """Empty the files, as a server has no way to delete one; what cannot be emptied at once is left."""
        with suppress(Empty, AnswerError, SeatUnavailable):
            slot = self._free.get_nowait()
            for file in tuple(self._saved.values()):
                self._save_nothing(slot, file, _PATIENCE)

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files that hold saved beginnings, in the server's `--slot-save-path`."""
        return self._files

    def _restored(self, slot: int, key: str) -> bool:
        try:
            self._client.post(f"/slots/{slot}?action=restore", {"filename": self._saved[key]})
        except AnswerError:  # the file is gone, as after a restart
            del self._saved[key]
            return False
        return True

    def _save(self, request: Request, slot: int, key: str) -> bool:
        beginning, file = self._beginning(request), self._next_file()
        try:
            self._save_nothing(slot, file)  # before anything long is read
        except AnswerError:  # 501: started without --slot-save-path
            self.can_save = False
            return False
        self._client.post(
            "/completion",
            {"prompt": beginning, "n_predict": 0, "id_slot": slot, "cache_prompt": False, "stream": False},
        )
        self._client.post(f"/slots/{slot}?action=save", {"filename": file})
        self._saved[key] = file
        return True

    def _save_nothing(self, slot: int, file: str, patience: float = LONGEST_ANSWER) -> None:
        self._client.post(f"/slots/{slot}?action=erase", {}, patience)
        self._client.post(f"/slots/{slot}?action=save", {"filename": file}, patience)

    def _next_file(self) -> str:
        if len(self._saved) < MOST_SAVED:
            return next(file for file in self.files if file not in self._saved.values())
        return self._saved.popitem(last=False)[1]

    def _beginning(self, request: Request) -> list[int]:
        """The tokens that every prompt with these shared messages begins with, whatever is asked behind them.

        They are found by laying out whole prompts: some templates refuse messages without a question, and where two
        texts meet, a tokeniser may join them.
        """
        shared, role = messages(request)[: request.shared], request.messages[request.shared].role
        prompts = [self._laid_out([*shared, {"role": role, "content": text}], request) for text in _QUESTIONS]
        alike = takewhile(lambda tokens: len(set(tokens)) == 1, zip(*prompts, strict=False))
        return [tokens[0] for tokens in alike]

    def _laid_out(self, said: list[dict[str, str]], request: Request) -> list[int]:
        prompt = self._client.post("/apply-template", {"messages": said, **template_settings(request)})["prompt"]
        asked = {"content": prompt, "add_special": True, "parse_special": True}
        found: list[int] = self._client.post("/tokenize", asked)["tokens"]
        return found
