"""What model files say of themselves, and the flaws they may have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import gguf
import pytest

from lexforge.domain.record import sha256_of
from lexforge.errors import SeatUnavailable
from lexforge.llm import known_files
from lexforge.llm.header import file_type, read_header
from tests.llm.hybrid import CHATML_THINKING, VOCABULARY


@pytest.fixture(autouse=True)
def _nothing_is_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(known_files, "_in_this_process", {})


def test_a_header_tells_what_a_server_will(hybrid_file: Path) -> None:
    header, tensors = read_header((hybrid_file,)), gguf.GGUFReader(hybrid_file).tensors
    assert (header.architecture, header.quantisation) == ("qwen35moe", "F16")
    assert header.vocabulary == VOCABULARY
    assert header.parameters == sum(tensor.data.size for tensor in tensors)
    assert header.size == sum(tensor.data.nbytes for tensor in tensors)
    assert header.template_sha256 == sha256_of(CHATML_THINKING.encode())


def test_shards_count_together(hybrid_file: Path) -> None:
    one, two = read_header((hybrid_file,)), read_header((hybrid_file, hybrid_file))
    assert (two.parameters, two.size) == (2 * one.parameters, 2 * one.size)
    assert two.template_sha256 == one.template_sha256


FLAWED: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "another_format": lambda _: b"PK\x03\x04" + bytes(500),
    "only_zeros_behind_the_magic": lambda _: b"GGUF" + bytes(1000),
    "cut_in_the_magic": lambda whole: whole[:3],
    "cut_in_the_counts": lambda whole: whole[:20],
    "cut_in_the_tokens": lambda whole: whole[:20_000],
    "cut_in_the_tensors": lambda whole: whole[: len(whole) // 2],
    "a_version_of_the_future": lambda whole: whole[:4] + b"\x09\0\0\0" + whole[8:],
    "a_huge_count_of_tensors": lambda whole: whole[:8] + b"\xff" * 7 + b"\0" + whole[16:],
    "a_huge_count_of_fields": lambda whole: whole[:16] + b"\xff" * 7 + b"\0" + whole[24:],
    "a_huge_name": lambda whole: whole[:24] + b"\xff" * 7 + b"\0" + whole[32:],
    "a_name_that_is_no_text": lambda whole: whole.replace(b"general.architecture", b"\xff\xfe" * 10, 1),
    "a_type_that_does_not_exist": lambda whole: whole[:24] + whole[24:].replace(b"\x08\0\0\0", b"\x63\0\0\0", 1),
    "without_an_architecture": lambda whole: whole.replace(b"general.architecture", b"general.architectura", 1),
}


@pytest.mark.parametrize("flaw", FLAWED)
def test_a_flawed_file_is_refused_or_read_as_it_is(flaw: str, hybrid_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "flawed.gguf"
    path.write_bytes(FLAWED[flaw](hybrid_file.read_bytes()))
    if flaw == "without_an_architecture":
        assert read_header((path,)).architecture == ""
        return
    with pytest.raises(SeatUnavailable) as refused:
        read_header((path,))
    assert refused.value.code == "file_unreadable"
    assert str(path) in refused.value.message


# What llama.cpp says in its answers (`llama_ftype_name`, src/llama-model-loader.cpp), and what people call it.
TOLD = {
    "all F32": "F32",
    "F16": "F16",
    "BF16": "BF16",
    "Q8_0": "Q8_0",
    "Q2_K - Small": "Q2_K_S",
    "Q2_K - Medium": "Q2_K",
    "Q3_K - Large": "Q3_K_L",
    "Q4_K - Small": "Q4_K_S",
    "Q4_K - Medium": "Q4_K_M",
    "Q6_K": "Q6_K",
    "IQ2_XXS - 2.0625 bpw": "IQ2_XXS",
    "IQ3_XXS - 3.0625 bpw": "IQ3_XXS",
    "IQ3_S - 3.4375 bpw": "IQ3_S",
    "IQ3_S mix - 3.66 bpw": "IQ3_M",
    "IQ4_XS - 4.25 bpw": "IQ4_XS",
    "IQ4_NL - 4.5 bpw": "IQ4_NL",
    "TQ1_0 - 1.69 bpw ternary": "TQ1_0",
    "MXFP4 MoE": "MXFP4_MOE",
    "(guessed) Q4_K - Medium": "Q4_K_M",
}


@pytest.mark.parametrize("told", TOLD)
def test_a_server_and_a_header_name_a_file_type_alike(told: str) -> None:
    assert file_type(told) == TOLD[told]
    assert TOLD[told] in {kind.name.removeprefix("MOSTLY_").removeprefix("ALL_") for kind in gguf.LlamaFileType}
