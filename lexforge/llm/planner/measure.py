"""Measuring how fast an engine decodes: many short answers, the least disturbed of which counts.

Other work on a machine only ever makes an answer slower, so the fastest of several short answers is the figure that the
machine itself gives; engines that are compared are asked in turn, so that a busy minute hits all of them.
Answers are short because a long one hardly passes undisturbed on a busy machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from lexforge.domain.record import Record
from lexforge.llm.boards import UNPINNED, Board, Engine, KvType, PromptFormat, SeatConfig
from lexforge.llm.chat import NEUTRAL
from lexforge.llm.engine_child import EngineChild
from lexforge.llm.planner.model import Geometry, LayerKind, Sizes
from lexforge.llm.request import Answer, Message, Request, Sampling

PROBE = "probe "
"""What the names of probe models begin with."""
TOKENS = 5
"""Tokens of one answer: the first comes out of prefill, the others are decoded."""
TOKENS_ACCELERATOR = 65
"""An accelerator is as fast as it gets only after some tokens, when its launches are recorded (CUDA graphs)."""
ROUNDS = 16
_DEEP, _EVERY = 128, 2
"""Prompts longer than this are read in every second round only: reading them is what takes the time."""


class Pace(NamedTuple):
    """How often each model is asked, for how many tokens, behind prompts of about so many."""

    rounds: int = ROUNDS
    tokens: int = TOKENS
    depths: tuple[int, ...] = (16, 256)


class Timing(NamedTuple):
    """One answer: tokens that stood before it, seconds for a decoded token, seconds for a token of the prompt."""

    depth: int
    decode: float
    prefill: float


class Load(Record):
    """What decoding one token makes an engine do.

    `active` is bytes of weights by type, `routed` the part of them that experts are, and `body` all without the head,
    which a prompt's tokens do not need; `rows` those of all matrices; `vocabulary` is what every token is chosen from;
    `kv` bytes of KV cache and recurrent state.
    """

    layers: int
    recurrent: int
    rows: int
    vocabulary: int
    active: Sizes
    routed: Sizes
    body: Sizes
    kv: float


def load_of(geometry: Geometry, kv_type: KvType, depth: int) -> Load:
    """The load of one token, `depth` tokens into a slot."""
    body = {kind: size - geometry.output_sizes.get(kind, 0) for kind, size in geometry.active.items()}
    return Load(
        layers=len(geometry.layers),
        recurrent=geometry.count(LayerKind.RECURRENT),
        rows=geometry.active_rows,
        vocabulary=geometry.vocabulary,
        active=geometry.active,
        routed=geometry.routed,
        body=body,
        kv=kv_read(geometry, kv_type, depth),
    )


class Measurement(Record):
    """The best of several answers of one model at one depth, with what the time should depend on.

    `seconds` are for one decoded token, `prefill_seconds` for one token of the prompt. A probe is no real model.
    """

    model: str
    probe: bool
    load: Load
    depth: int
    seconds: float
    prefill_seconds: float


Decoder = Callable[[int, int], Timing | None]
"""Answers with so many tokens after about so many others; None when the model ended its answer at once."""


class CanPost(Protocol):
    """What a server's decoder needs: `lexforge.llm.server.ServerClient`."""

    def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The JSON answer."""


def measure(
    decoders: Mapping[str, tuple[Geometry, Decoder]],
    kv_type: KvType,
    pace: Pace = Pace(),  # noqa: B008 - a tuple of constants
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> tuple[Measurement, ...]:
    """Every model at every depth, in turn; models that end their answers at once are left out at that depth."""
    best: dict[tuple[str, int], Timing] = {}
    for number in range(pace.rounds):
        for name, (_, decode) in decoders.items():
            for depth in pace.depths:
                if depth > _DEEP and number % _EVERY:
                    continue
                found = decode(depth, pace.tokens)
                if found is not None:
                    best[name, depth] = _least(best.get((name, depth)), found)
        progress(number + 1, pace.rounds)
    return tuple(_measured(name, decoders[name][0], timing, kv_type) for (name, _), timing in sorted(best.items()))


def _least(old: Timing | None, new: Timing) -> Timing:
    if old is None:
        return new
    return Timing(new.depth, min(old.decode, new.decode), min(old.prefill, new.prefill))


def _measured(name: str, geometry: Geometry, timing: Timing, kv_type: KvType) -> Measurement:
    return Measurement(
        model=name,
        probe=name.startswith(PROBE),
        load=load_of(geometry, kv_type, timing.depth),
        depth=timing.depth,
        seconds=timing.decode,
        prefill_seconds=timing.prefill,
    )


def kv_read(geometry: Geometry, kv_type: KvType, depth: int) -> float:
    """Bytes of KV cache and recurrent state that decoding one token reads `depth` tokens into a slot."""
    seen = min(depth, geometry.window) if geometry.window else depth
    read = depth * geometry.kv_per_token(kv_type) + seen * geometry.kv_per_token(kv_type, LayerKind.WINDOW)
    return read + geometry.state_per_slot


@contextmanager
def embedded(path: Path, seat: SeatConfig, board: Board) -> Iterator[Decoder]:
    """The embedded engine with one model in it (`python -m lexforge.llm.embedded`), for any model file.

    SeatUnavailable `loading_failed` when it cannot load the file.
    """
    plain = seat.model_dump(mode="json") | {
        "prompt_format": PromptFormat.PLAIN.value,
        "engine": Engine.EMBEDDED.value,
        "slots": 1,
        "reasoning_budget": 0,
        "endpoint": "",
        "speculation": "none",
        "weights_sha256": [UNPINNED],
    }
    child = EngineChild(path.name, path, SeatConfig.model_validate(plain), board)
    try:
        yield lambda depth, tokens: _timed(child, depth, tokens)
    finally:
        child.close()


def _timed(child: EngineChild, depth: int, tokens: int) -> Timing | None:
    # A word repeated is one token each time in most vocabularies, and a byte-level one is not far off with one letter.
    text = "a " * (depth // 2)
    request = Request(messages=(Message(role="user", content=text),), max_tokens=tokens, sampling=Sampling())
    answer = Answer.model_validate(child.ask(request.model_dump_json())["answer"])
    return _timing(answer.prompt_tokens, answer.prompt_ms, answer.completion_tokens, answer.completion_ms)


def _timing(read: int, prompt_ms: float, written: int, completion_ms: float) -> Timing | None:
    if written < 2 or read < 1 or completion_ms <= 0:
        return None
    decoded = written - 1
    return Timing(read, completion_ms / 1000 / decoded, prompt_ms / 1000 / read)


def served(client: CanPost, vocabulary: int) -> Decoder:
    """The model that a llama-server holds (its `/completion`), read anew for every answer and never ended early."""

    def decode(depth: int, tokens: int) -> Timing | None:
        body = {
            **NEUTRAL,
            **Sampling().model_dump(),
            "prompt": [100 + number % min(100, vocabulary - 101) for number in range(depth)],
            "n_predict": tokens,
            "ignore_eos": True,
            "cache_prompt": False,
        }
        told = client.post("/completion", body)["timings"]
        return _timing(told["prompt_n"], told["prompt_ms"], told["predicted_n"], told["predicted_ms"])

    return decode
