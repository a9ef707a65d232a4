"""The embedded engine: one llama.cpp model in a process of its own, spoken to in JSON lines.

Run as `python -m lexforge.llm.embedded`. The first line received names the model; each further line is a request. A
`Llama` object dies when two threads touch it, so this process has one, and answers one request at a time.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from importlib.metadata import version
from typing import IO, Any

import llama_cpp
import numpy as np
from llama_cpp.llama_chat_format import Jinja2ChatFormatter
from llama_cpp.llama_grammar import LlamaGrammar

from lexforge import local_only
from lexforge.domain.record import sha256_of
from lexforge.llm import chat
from lexforge.llm.boards import KvType, PromptFormat, SeatConfig
from lexforge.llm.gguf_file import file_type_name
from lexforge.llm.identity import PLAIN_TEMPLATE, Identity, digest
from lexforge.llm.probe import BEGINNING, CONTINUED, TEXT, Probe, bits_per_character
from lexforge.llm.request import Answer, FinishReason, Request

_KV_TYPES = {
    KvType.F16: llama_cpp.GGML_TYPE_F16,
    KvType.Q8_0: llama_cpp.GGML_TYPE_Q8_0,
    KvType.Q4_0: llama_cpp.GGML_TYPE_Q4_0,
}


class Engine:
    """A loaded model and the way its prompts are laid out."""

    def __init__(self, path: str, seat: SeatConfig, on_accelerators: bool = False) -> None:
        self._seat = seat
        self._llama = llama_cpp.Llama(
            path,
            n_gpu_layers=-1 if on_accelerators else 0,
            tensor_split=list(seat.tensor_split) or None,
            n_ctx=seat.context,
            n_ubatch=seat.ubatch,
            n_threads=seat.threads,
            n_threads_batch=seat.threads,
            flash_attn=seat.flash_attention,
            type_k=_KV_TYPES[seat.kv_type],
            type_v=_KV_TYPES[seat.kv_type],
            verbose=False,
        )
        self._template = self._chat_template()
        self.identity = self._read_identity()

    def _chat_template(self) -> str | None:
        if self._seat.prompt_format is PromptFormat.PLAIN:
            return None
        template = self._llama.metadata.get("tokenizer.chat_template")
        if not template:
            raise ValueError("the model file has no chat template; set prompt_format = 'plain' in the board file")
        return str(template)

    def _read_identity(self) -> Identity:
        metadata, model = self._llama.metadata, self._llama._model.model
        file_type = int(metadata.get("general.file_type", -1))
        return Identity(
            weights_sha256=digest(self._seat.weights_sha256),
            quantisation=file_type_name(file_type),
            architecture=metadata.get("general.architecture", ""),
            parameters=llama_cpp.llama_model_n_params(model),
            size=llama_cpp.llama_model_size(model),
            vocabulary=self._llama.n_vocab(),
            template_sha256=PLAIN_TEMPLATE if self._template is None else sha256_of(self._template.encode()),
            context=self._llama.n_ctx(),
            runtime=f"llama-cpp-python {version('llama-cpp-python')}",
            argv=self._argv(),
        )

    def _argv(self) -> tuple[str, ...]:
        seat = self._seat
        return (
            *("--threads", str(seat.threads), "--ubatch-size", str(seat.ubatch)),
            *("--flash-attn", "on" if seat.flash_attention else "off"),
            *("--cache-type-k", seat.kv_type.value, "--cache-type-v", seat.kv_type.value),
        )

    def count(self, request: Request) -> int:
        """Prompt tokens of a request."""
        return len(self._tokens(request))

    def _tokens(self, request: Request) -> list[int]:
        return self._llama.tokenize(self._prompt(request).encode(), add_bos=True, special=True)

    def _prompt(self, request: Request) -> str:
        messages: list[Any] = chat.messages(request)
        if self._template is None:
            return "\n\n".join(message["content"] for message in messages)
        eos = self._llama._model.token_get_text(self._llama.token_eos())
        formatter = Jinja2ChatFormatter(self._template, eos_token=eos, bos_token="", add_generation_prompt=True)
        return str(formatter(messages=messages).prompt)

    def answer(self, request: Request) -> Answer:
        """Decode one answer; nothing is kept between requests, so it does not depend on what came before."""
        sampling = request.sampling
        self._llama.reset()  # type: ignore[no-untyped-call]
        llama_cpp.llama_perf_context_reset(self._llama.ctx)
        completion: Any = self._llama.create_completion(
            self._tokens(request),
            max_tokens=request.max_tokens,
            stop=list(request.stop),
            grammar=_grammar(request),
            temperature=sampling.temperature,
            top_k=sampling.top_k,
            top_p=sampling.top_p,
            min_p=sampling.min_p,
            repeat_penalty=sampling.repeat_penalty,
            seed=sampling.seed,
        )
        choice, counters = completion["choices"][0], llama_cpp.llama_perf_context(self._llama.ctx)
        return Answer(
            text=choice["text"],
            finish_reason=FinishReason(choice["finish_reason"]),
            sampling=sampling,
            prompt_tokens=counters.n_p_eval,
            prompt_ms=counters.t_p_eval_ms,
            completion_tokens=completion["usage"]["completion_tokens"],
            completion_ms=counters.t_eval_ms,
        )

    def probe(self) -> Probe:
        """What the sanity text costs this runtime, token by token, and how it goes on by itself."""
        beginning = self._llama.tokenize(BEGINNING.encode())
        tokens = self._llama.tokenize((BEGINNING + TEXT).encode())[len(beginning) :]
        self._llama.reset()  # type: ignore[no-untyped-call]
        self._llama.eval(beginning)
        likely = []
        for token in tokens:
            logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits(self._llama.ctx), (self._llama.n_vocab(),))
            likely.append(float(logits[token] - logits.max() - np.log(np.exp(logits - logits.max()).sum())))
            self._llama.eval([token])
        self._llama.reset()  # type: ignore[no-untyped-call]
        greedy: Any = self._llama.create_completion(beginning, max_tokens=CONTINUED, temperature=0.0)
        return Probe(bits_per_character=bits_per_character(likely), continuation=greedy["choices"][0]["text"])


def _grammar(request: Request) -> LlamaGrammar | None:
    if request.json_schema is not None:
        return LlamaGrammar.from_json_schema(request.json_schema, verbose=False)
    if request.grammar is not None:
        return LlamaGrammar.from_string(request.grammar, verbose=False)
    return None


def _own_stdout() -> IO[str]:
    """The pipe to the parent; whatever llama.cpp prints goes to stderr instead."""
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return pipe


def _reader(lines: queue.Queue[str]) -> None:
    """Read the parent's lines; when it is gone, end at once, even in the middle of an answer."""
    for line in sys.stdin:
        lines.put(line)
    os._exit(0)


def _respond(engine: Engine, line: str) -> dict[str, Any]:
    request = Request.model_validate_json(line)
    room = engine.identity.context - engine.count(request)
    if room < request.max_tokens:
        needed = engine.identity.context - room + request.max_tokens
        return {"error": "context_too_small", "detail": f"needs {needed} tokens, has {engine.identity.context}"}
    try:
        return {"answer": engine.answer(request).model_dump(mode="json")}
    except (ValueError, RuntimeError) as error:
        return {"error": "engine_failed", "detail": str(error)}


def main() -> None:
    """Serve one seat until the parent closes the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle; it closes the pipe
    local_only.install()
    out = _own_stdout()
    lines: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_reader, args=(lines,), daemon=True).start()
    order = json.loads(lines.get())
    seat = SeatConfig.model_validate(order["seat"])
    try:
        engine = Engine(order["path"], seat, order["on_accelerators"])
    except (ValueError, RuntimeError, OSError) as error:
        print(json.dumps({"error": "loading_failed", "detail": str(error)}), file=out, flush=True)
        return
    loaded = {"identity": engine.identity, "probe": engine.probe()}
    print(json.dumps({key: record.model_dump(mode="json") for key, record in loaded.items()}), file=out, flush=True)
    while True:
        print(json.dumps(_respond(engine, lines.get())), file=out, flush=True)


if __name__ == "__main__":
    main()
