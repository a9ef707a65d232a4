"""The seat that is served by a llama-server: identified before the first answer, on each answer, and on its return."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from lexforge.domain.record import sha256_of
from lexforge.errors import AnswerError, SeatUnavailable
from lexforge.llm import chat
from lexforge.llm.boards import SeatConfig, SeatName
from lexforge.llm.header import Header, file_type, read_header
from lexforge.llm.identity import Identity, digest, require_file
from lexforge.llm.probe import BEGINNING, CONTINUED, TEXT, Probe, bits_per_character, grammar, require_sense
from lexforge.llm.request import Answer, Request
from lexforge.llm.server import ServerClient, is_here
from lexforge.llm.serving.command import forbidden
from lexforge.llm.serving.listening import PROC, pid_of
from lexforge.llm.slots import Slots
from lexforge.llm.throughput import Throughput
from lexforge.llm.weights import FileHash, find, locate, shards_of

Waiting = Callable[[str], None]
"""Told, about twice a second, what is being waited for; with "" when the waiting is over."""

Returned = TypeVar("Returned")

_RETURNING = {"down", "loading"}
_MOST_RETURNS = 3
"""A server that goes down this often over one request is being killed by that request."""


def silently(_: str) -> None:
    """Tell nobody."""


class ServerSeat:
    """One seat at one endpoint; may be asked by as many threads as it has slots."""

    def __init__(
        self,
        name: SeatName,
        config: SeatConfig,
        endpoint: str,
        argv: Callable[[], tuple[str, ...]] = tuple,
        waiting: Waiting = silently,
    ) -> None:
        self.name = name
        self.sampling = config.sampling
        self.wording = config.wording
        self.reasoning_budget = config.reasoning_budget
        self.slots = config.slots
        self.throughput = Throughput()
        self.endpoint = endpoint
        self._config = config
        self._argv = argv
        self._waiting = waiting
        self._counting = threading.Lock()
        self._client = ServerClient(endpoint, name.value)
        self._slots = Slots(self._client, config.slots)
        try:
            self._pinned()
            self._wait_until_ready()
            self.identity = self._identify()
            require_sense(self._probe(), config.sense_bound, name.value)
        except BaseException:
            self.close()
            raise

    # -- identity ------------------------------------------------------------------------------------------------

    def _pinned(self) -> tuple[Path | None, Header | None]:
        """The verified file and its header; nothing where server and file are on another machine."""
        if not is_here(self.endpoint) and not Path(self._config.model).expanduser().is_file():
            return None, None
        path = locate(self._config, self.name.value)
        return path, read_header(find(self._config, self.name.value))

    def _identify(self) -> Identity:
        """Who answers, from its own figures; SeatUnavailable `wrong_model` or `wrong_setting` unless as pinned."""
        file, header = self._pinned()
        argv = self._argv()  # first: of a server that dies meanwhile the rest is not told either
        with self._described():
            model, properties = self._client.get("/v1/models")["data"][0], self._client.get("/props")
            meta = model["meta"]
            identity = Identity(
                weights_sha256=digest(self._config.weights_sha256),
                weights_read=self._is_pinned_file(properties["model_path"], file),
                quantisation=file_type(meta["ftype"]),
                architecture=header.architecture if header else "",
                parameters=meta["n_params"],
                size=meta["size"],
                vocabulary=meta["n_vocab"],
                template_sha256=sha256_of(properties["chat_template"].encode()),
                context=meta["n_ctx"],
                slots=properties["total_slots"],
                runtime=properties["build_info"],
                argv=argv,
            )
            self._alias = str(model["id"])
        self._require_model(identity, header)
        self._require_settings(identity)
        return identity

    @contextlib.contextmanager
    def _described(self) -> Iterator[None]:
        """What does not answer as a llama-server does is none: SeatUnavailable `wrong_setting`."""
        try:
            yield
        except (AnswerError, KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            detail = error.message if isinstance(error, AnswerError) else repr(error)
            raise SeatUnavailable(
                "wrong_setting",
                f"What answers at {self.endpoint} does not describe itself as a llama-server does: {detail}",
                "Start it with `lexforge boards up`, or use a newer build of llama.cpp.",
            ) from None

    def _is_pinned_file(self, served: str, pinned: Path | None) -> bool:
        """Whether the file the server says it loaded is the pinned one, or could not be looked at from here."""
        path = self._seen_from_here(served)
        if pinned is None or path is None:
            return False
        shards = shards_of(path)
        if _sizes(shards) == _sizes(shards_of(pinned)):  # another 70 GB are not hashed only to be refused
            hashes = tuple(FileHash.of(shard).sha256 for shard in shards)
            if hashes == self._config.weights_sha256:
                return True
        raise SeatUnavailable(
            "wrong_model",
            f"The {self.name.value} is served from {served}, which is not the file its board file pins: {pinned}.",
            "Start the server with the pinned file, or pin the other one; nothing is drafted with a file nobody chose.",
        )

    def _seen_from_here(self, served: str) -> Path | None:
        """The file that the server names; a relative path is relative to where the server was started."""
        path = Path(served)
        if not path.is_absolute():
            path = PROC / str(pid_of(self.endpoint)) / "cwd" / path
        try:
            return path if is_here(self.endpoint) and path.is_file() else None
        except OSError:
            return None

    def _require_model(self, identity: Identity, header: Header | None) -> None:
        if header is not None and not header.template_sha256:
            raise SeatUnavailable(
                "wrong_setting",
                f"The model file of the {self.name.value} has no chat template; a server then makes one up.",
                "Use a model that was trained to chat, or engine = 'embedded' with prompt_format = 'plain'.",
            )
        if header is not None:
            require_file(identity, self._config.quantisation, header, self.name.value)
        elif identity.quantisation != self._config.quantisation:
            raise SeatUnavailable(
                "wrong_model",
                f"The {self.name.value} serves a {identity.quantisation} file, its board file pins "
                f"{self._config.quantisation}.",
                "Start the server with the pinned file, or correct `quantisation`.",
            )

    def _require_settings(self, identity: Identity) -> None:
        wanted = self._config
        if identity.context < wanted.context:
            raise SeatUnavailable(
                "context_too_small",
                f"A slot of the {self.name.value} has {identity.context} tokens, its board file says {wanted.context}.",
                "Start the server with `--ctx-size` of context times slots, or correct the board file.",
            )
        if identity.slots != wanted.slots:
            raise SeatUnavailable(
                "wrong_setting",
                f"The {self.name.value} serves {identity.slots} slots; its board file says {wanted.slots}.",
                "Correct `slots` in the board file, or start the server with that `--parallel`.",
            )
        if told := forbidden(identity.argv):
            raise SeatUnavailable(
                "wrong_setting",
                f"The {self.name.value} was started with an option that no seat may have: {'; '.join(told)}.",
                "Start it without, or with `lexforge boards up`.",
            )

    def _probe(self) -> Probe:
        with self._described():
            beginning = self._tokens(BEGINNING)
            text = self._tokens(BEGINNING + TEXT)[len(beginning) :]
            ask: dict[str, Any] = {"prompt": beginning, "temperature": 0.0, "id_slot": 0, "cache_prompt": False}
            forced = self._client.post("/completion", {**ask, "n_predict": 256, "grammar": grammar(text), "n_probs": 1})
            said = forced["completion_probabilities"][: len(text)]  # the end of the answer may be told as well
            if [token["id"] for token in said] != text:
                raise ValueError("it did not keep to a grammar")
            greedy = self._client.post("/completion", {**ask, "n_predict": CONTINUED})
            likely = [token["logprob"] for token in said]
            return Probe(bits_per_character=bits_per_character(likely), continuation=greedy["content"])

    def _tokens(self, text: str) -> list[int]:
        found: list[int] = self._client.post("/tokenize", {"content": text, "add_special": True})["tokens"]
        return found

    # -- answers -------------------------------------------------------------------------------------------------

    def answer(self, request: Request) -> Answer:
        """One answer by the seat's own identity; waits, visibly and up to `wait` seconds, while it is restarting."""
        with self._slots.taken() as slot:
            answer = self._persistently(lambda: self._ask(request, slot))
        with self._counting:
            self.throughput = self.throughput.plus(answer)
        return answer

    def _ask(self, request: Request, slot: int) -> Answer:
        self._require_unchanged()  # before it is shown anything
        reuse = self._slots.start_behind_shared(request, slot)
        reply = self._client.post("/v1/chat/completions", chat.body(request, slot, reuse))
        self._require_same(reply)
        self._require_unchanged()  # nor has another server answered under the same name
        return chat.answer_of(reply, request, self.name.value)

    def _require_same(self, reply: dict[str, Any]) -> None:
        said = (reply.get("model"), reply.get("system_fingerprint"))
        if said != (self._alias, self.identity.runtime):
            raise SeatUnavailable(
                "wrong_model",
                f"The {self.name.value} was {self._alias} on {self.identity.runtime}; {said[0]} on {said[1]} answered.",
                "Another server took its place. Look at `lexforge boards status`, then run the same command again.",
            )

    def _persistently(self, ask: Callable[[], Returned]) -> Returned:
        for _ in range(_MOST_RETURNS):
            try:
                return ask()
            except SeatUnavailable as error:
                if error.code not in _RETURNING:
                    raise
            self._wait_until_ready()
        return ask()

    def _require_unchanged(self) -> None:
        """The same identity as at the beginning, or nothing goes on."""
        if changed := self.identity.differences(self._identify()):
            raise SeatUnavailable(
                "wrong_model",
                f"The {self.name.value} is something else now: {'; '.join(changed)}.",
                "Start it as it was and run the same command again; finished steps are kept.",
            )

    def _wait_until_ready(self) -> None:
        until = time.monotonic() + self._config.wait
        with self._described():
            while (health := self._client.health()) != "ok":
                left = until - time.monotonic()
                if left <= 0:
                    self._client.get("/health")  # raises what is wrong, in full
                    return
                self._waiting(f"{self.name.value} is {health}; waiting {left:.0f} s more")
                time.sleep(min(0.5, left))
        self._waiting("")

    def close(self) -> None:
        """Hang up; the server is left running."""
        self._slots.release()
        self._client.close()


def _sizes(files: tuple[Path, ...]) -> list[int]:
    return [file.stat().st_size for file in files if file.is_file()]
