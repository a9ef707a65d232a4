"""A seat that answers from a list, for tests of everything but the models themselves."""

from __future__ import annotations

from collections.abc import Callable

from lexforge.llm.boards import SeatName, Wording
from lexforge.llm.identity import Identity
from lexforge.llm.request import Answer, FinishReason, Request, Sampling
from lexforge.llm.throughput import Throughput


class ScriptedSeat:
    """Answers each request with `script(request)`; keeps every request it saw. `label` makes its identity its own."""

    def __init__(
        self,
        name: SeatName,
        script: Callable[[Request], str],
        label: str = "scripted",
        finish_reason: FinishReason = FinishReason.STOP,
        wording: Wording = Wording.CLOSED,
    ) -> None:
        self.name = name
        self.wording = wording
        self.sampling = Sampling()
        self.reasoning_budget = 0
        self.slots = 1
        self.endpoint = "scripted"
        self.throughput = Throughput()
        self.requests: list[Request] = []
        self._script = script
        self._finish_reason = finish_reason
        self.identity = Identity(
            weights_sha256="0" * 64,
            quantisation="none",
            architecture=label,
            parameters=0,
            size=0,
            vocabulary=0,
            template_sha256="0" * 64,
            context=4096,
            runtime="scripted",
        )

    def answer(self, request: Request) -> Answer:
        """The scripted text, with word counts for tokens."""
        self.requests.append(request)
        text = self._script(request)
        answer = Answer(
            text=text,
            finish_reason=self._finish_reason,
            sampling=request.sampling,
            prompt_tokens=sum(len(m.content.split()) for m in request.messages),
            prompt_ms=1.0,
            completion_tokens=len(text.split()),
            completion_ms=1.0,
        )
        self.throughput = self.throughput.plus(answer)
        return answer
