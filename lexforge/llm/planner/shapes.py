"""Tensor lists of two families: dense (llama.cpp's `llama`) and hybrid with experts (`qwen35moe`).

Names and shapes are those llama.cpp asks for when it loads a file (src/models/llama.cpp, src/models/qwen35moe.cpp).
"""

from __future__ import annotations

from lexforge.domain.record import Record
from lexforge.llm.planner.model_file import Planned, Value, byte_tokenizer

ATTENTION_EVERY = 4


class DenseShape(Record):
    """A plain transformer; `kind` is the GGML type of every matrix."""

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    feed_forward: int
    vocabulary: int
    kind: str
    context: int = 8192


class HybridShape(Record):
    """Qwen3.5 and 3.6: three recurrent layers to one of attention, routed experts and one shared expert.

    `expert_kind` is the GGML type of the experts, `kind` that of the other matrices; router and convolution are F32.
    """

    layers: int
    width: int
    heads: int
    kv_heads: int
    head_width: int
    experts: int
    experts_used: int
    expert_width: int
    v_heads: int
    qk_heads: int
    state: int
    vocabulary: int
    kind: str
    expert_kind: str
    conv: int = 4
    context: int = 262_144


def dense_metadata(shape: DenseShape) -> dict[str, Value]:
    """Header of a dense model."""
    return {
        "general.architecture": "llama",
        "llama.block_count": shape.layers,
        "llama.context_length": shape.context,
        "llama.embedding_length": shape.width,
        "llama.feed_forward_length": shape.feed_forward,
        "llama.attention.head_count": shape.heads,
        "llama.attention.head_count_kv": shape.kv_heads,
        "llama.attention.key_length": shape.head_width,
        "llama.attention.value_length": shape.head_width,
        "llama.attention.layer_norm_rms_epsilon": 1e-6,
        "llama.rope.dimension_count": shape.head_width,
        **byte_tokenizer(shape.vocabulary),
    }


def dense_tensors(shape: DenseShape) -> list[Planned]:
    """Tensors of a dense model whose head is its embedding."""
    width, query, key = shape.width, shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    found = [
        Planned("token_embd.weight", (width, shape.vocabulary), shape.kind),
        Planned("output_norm.weight", (width,), "F32"),
    ]
    for layer in range(shape.layers):
        matrices = {
            "attn_q": (width, query),
            "attn_k": (width, key),
            "attn_v": (width, key),
            "attn_output": (query, width),
            "ffn_gate": (width, shape.feed_forward),
            "ffn_up": (width, shape.feed_forward),
            "ffn_down": (shape.feed_forward, width),
        }
        found += [Planned(f"blk.{layer}.{name}.weight", (width,), "F32") for name in ("attn_norm", "ffn_norm")]
        found += [Planned(f"blk.{layer}.{name}.weight", size, shape.kind) for name, size in matrices.items()]
    return found


def hybrid_metadata(shape: HybridShape) -> dict[str, Value]:
    """Header of a hybrid model."""
    quarter = shape.head_width // 4
    own: dict[str, Value] = {
        "block_count": shape.layers,
        "context_length": shape.context,
        "embedding_length": shape.width,
        "feed_forward_length": shape.expert_width,
        "attention.head_count": shape.heads,
        "attention.head_count_kv": shape.kv_heads,
        "attention.key_length": shape.head_width,
        "attention.value_length": shape.head_width,
        "attention.layer_norm_rms_epsilon": 1e-6,
        "rope.freq_base": 1e7,
        "rope.dimension_count": quarter,
        "rope.dimension_sections": [quarter // 6 + 1, quarter // 6, quarter // 2 - 2 * (quarter // 6) - 1, 0],
        "expert_count": shape.experts,
        "expert_used_count": shape.experts_used,
        "expert_feed_forward_length": shape.expert_width,
        "expert_shared_feed_forward_length": shape.expert_width,
        "ssm.conv_kernel": shape.conv,
        "ssm.inner_size": shape.v_heads * shape.state,
        "ssm.state_size": shape.state,
        "ssm.time_step_rank": shape.v_heads,
        "ssm.group_count": shape.qk_heads,
        "full_attention_interval": ATTENTION_EVERY,
    }
    return {
        "general.architecture": "qwen35moe",
        **{f"qwen35moe.{key}": value for key, value in own.items()},
        **byte_tokenizer(shape.vocabulary),
    }


def hybrid_tensors(shape: HybridShape) -> list[Planned]:
    """Tensors of a hybrid model."""
    table = (shape.width, shape.vocabulary)
    found = [
        Planned("token_embd.weight", table, shape.kind),
        Planned("output_norm.weight", (shape.width,), "F32"),
        Planned("output.weight", table, shape.kind),
    ]
    for layer in range(shape.layers):
        attends = (layer + 1) % ATTENTION_EVERY == 0
        tensors = [*(_attention(shape) if attends else _recurrent(shape)), *_experts(shape)]
        found += [tensor._replace(name=f"blk.{layer}.{tensor.name}") for tensor in tensors]
    return found


def _attention(shape: HybridShape) -> list[Planned]:
    query, key = shape.heads * shape.head_width, shape.kv_heads * shape.head_width
    return [
        Planned("attn_norm.weight", (shape.width,), "F32"),
        Planned("attn_q.weight", (shape.width, 2 * query), shape.kind),  # the queries and their gate
        Planned("attn_k.weight", (shape.width, key), shape.kind),
        Planned("attn_v.weight", (shape.width, key), shape.kind),
        Planned("attn_output.weight", (query, shape.width), shape.kind),
        Planned("attn_q_norm.weight", (shape.head_width,), "F32"),
        Planned("attn_k_norm.weight", (shape.head_width,), "F32"),
    ]


def _recurrent(shape: HybridShape) -> list[Planned]:
    value = shape.v_heads * shape.state
    mixed = 2 * shape.qk_heads * shape.state + value
    return [
        Planned("attn_norm.weight", (shape.width,), "F32"),
        Planned("attn_qkv.weight", (shape.width, mixed), shape.kind),
        Planned("attn_gate.weight", (shape.width, value), shape.kind),
        Planned("ssm_conv1d.weight", (shape.conv, mixed), "F32"),
        Planned("ssm_dt.bias", (shape.v_heads,), "F32"),
        Planned("ssm_a", (shape.v_heads,), "F32"),
        Planned("ssm_beta.weight", (shape.width, shape.v_heads), shape.kind),
        Planned("ssm_alpha.weight", (shape.width, shape.v_heads), shape.kind),
        Planned("ssm_norm.weight", (shape.state,), "F32"),
        Planned("ssm_out.weight", (value, shape.width), shape.kind),
    ]


def _experts(shape: HybridShape) -> list[Planned]:
    width, inner, count = shape.width, shape.expert_width, shape.experts
    return [
        Planned("post_attention_norm.weight", (width,), "F32"),
        Planned("ffn_gate_inp.weight", (width, count), "F32"),
        Planned("ffn_gate_exps.weight", (width, inner, count), shape.expert_kind),
        Planned("ffn_up_exps.weight", (width, inner, count), shape.expert_kind),
        Planned("ffn_down_exps.weight", (inner, width, count), shape.expert_kind),
        Planned("ffn_gate_inp_shexp.weight", (width,), "F32"),
        Planned("ffn_gate_shexp.weight", (width, inner), shape.kind),
        Planned("ffn_up_shexp.weight", (width, inner), shape.kind),
        Planned("ffn_down_shexp.weight", (inner, width), shape.kind),
    ]
