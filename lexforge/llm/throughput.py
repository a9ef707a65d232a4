"""What a seat has done, summed over its own counters."""

from __future__ import annotations

from lexforge.domain.record import Record
from lexforge.llm.request import Answer


class Throughput(Record):
    """Sums over answers: tokens and milliseconds, prompt (prefill) and completion (decode) apart."""

    answers: int = 0
    prompt_tokens: int = 0
    prompt_ms: float = 0.0
    completion_tokens: int = 0
    completion_ms: float = 0.0

    def plus(self, answer: Answer) -> Throughput:
        """The sums with one more answer in them."""
        return Throughput(
            answers=self.answers + 1,
            prompt_tokens=self.prompt_tokens + answer.prompt_tokens,
            prompt_ms=self.prompt_ms + answer.prompt_ms,
            completion_tokens=self.completion_tokens + answer.completion_tokens,
            completion_ms=self.completion_ms + answer.completion_ms,
        )

    @property
    def prompt_rate(self) -> float:
        """Prompt tokens per second; 0 before the first answer."""
        return 1000 * self.prompt_tokens / self.prompt_ms if self.prompt_ms else 0.0

    @property
    def completion_rate(self) -> float:
        """Completion tokens per second, the first of each answer left out: the prompt gives it; 0 before any."""
        return 1000 * (self.completion_tokens - self.answers) / self.completion_ms if self.completion_ms else 0.0
