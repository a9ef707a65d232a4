"""Two real servers that all tests of seats share: SmolLM2, and a random hybrid model that is told to think."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lexforge.llm.server_seat import ServerSeat
from tests.llm.hybrid import write_hybrid
from tests.llm.llama_server import serve, smollm2
from tests.llm.proxy import Proxy
from tests.llm.seated import ALIAS, SLOTS, config, seated


@pytest.fixture(scope="package")
def own_cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def own_cache(own_cache_folder: Path) -> Iterator[None]:
    """What is found out about files of tests is not remembered among the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(own_cache_folder))
        yield


@pytest.fixture(scope="package")
def hybrid_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_hybrid(tmp_path_factory.mktemp("hybrid") / "hybrid.gguf", thinking=True)


@pytest.fixture(scope="package")
def other_hybrid(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Other weights of the same shape, with the same template."""
    return write_hybrid(tmp_path_factory.mktemp("other") / "hybrid.gguf", seed=4, thinking=True)


@pytest.fixture
def copy(hybrid_file: Path, tmp_path: Path) -> Path:
    """The same bytes at another path."""
    return Path(shutil.copyfile(hybrid_file, tmp_path / "copy.gguf"))


@pytest.fixture(scope="package")
def saved_slots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("slots")


@pytest.fixture(scope="package")
def hybrid_server(hybrid_file: Path, saved_slots: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of the hybrid model, four slots of 1,024 tokens."""
    with serve(
        tmp_path_factory.mktemp("hybrid-server"),
        hybrid_file,
        alias=ALIAS,
        ctx_size=SLOTS * 1024,
        parallel=SLOTS,
        no_kv_unified=True,
        cache_ram=0,
        slot_save_path=saved_slots,
    ) as (endpoint, _):
        yield endpoint


@pytest.fixture(scope="package")
def smollm2_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The endpoint of SmolLM2, one slot of 512 tokens."""
    with serve(tmp_path_factory.mktemp("smollm2"), smollm2(), alias=ALIAS, ctx_size=512, cache_ram=0) as (endpoint, _):
        yield endpoint


@pytest.fixture(scope="package")
def one_proxy(hybrid_server: str) -> Iterator[Proxy]:
    with Proxy(hybrid_server).serving() as proxy:
        yield proxy


@pytest.fixture
def proxy(one_proxy: Proxy, hybrid_server: str) -> Iterator[Proxy]:
    """A proxy in front of the hybrid model that changes nothing yet."""
    one_proxy.reset(hybrid_server)
    yield one_proxy
    one_proxy.reset(hybrid_server)


@pytest.fixture(scope="module")
def seat(own_cache: None, one_proxy: Proxy, hybrid_file: Path) -> Iterator[ServerSeat]:
    """The hybrid model's seat, behind the proxy."""
    with seated(one_proxy.endpoint, config(hybrid_file)) as seat:
        yield seat
