"""The seat that is served by a model in a child process of ours."""

from __future__ import annotations

from lexforge.llm.boards import Board, Engine, SeatConfig, SeatName
from lexforge.llm.engine_child import EngineChild
from lexforge.llm.header import read_header
from lexforge.llm.identity import Identity, require_file
from lexforge.llm.probe import Probe, require_sense
from lexforge.llm.request import Answer, Request
from lexforge.llm.throughput import Throughput
from lexforge.llm.weights import find, locate


class EmbeddedSeat:
    """One model, one child, one request at a time."""

    def __init__(self, name: SeatName, config: SeatConfig, board: Board) -> None:
        self.name = name
        self.sampling = config.sampling
        self.wording = config.wording
        self.reasoning_budget = 0
        self.slots = 1
        self.endpoint = Engine.EMBEDDED.value
        self.throughput = Throughput()
        path = locate(config, name.value)
        self._child = EngineChild(name.value, path, config, board)
        try:
            self.identity = Identity.model_validate(self._child.loaded["identity"])
            require_file(self.identity, config.quantisation, read_header(find(config, name.value)), name.value)
            require_sense(Probe.model_validate(self._child.loaded["probe"]), config.sense_bound, name.value)
        except BaseException:
            self.close()
            raise

    def answer(self, request: Request) -> Answer:
        """One answer, counted."""
        answer = Answer.model_validate(self._child.ask(request.model_dump_json())["answer"])
        self.throughput = self.throughput.plus(answer)
        return answer

    def close(self) -> None:
        """End the child."""
        self._child.close()
