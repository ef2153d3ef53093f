"""A short run of every target; and that a run would find what is wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from . import targets
from .__main__ import Wrong, fuzz
from .mutation import LARGEST_BYTES, inputs


@pytest.mark.parametrize("name", targets.TARGETS)
def test_what_strangers_send_is_read_rightly_or_refused(name: str) -> None:
    fuzz(name, 1500, seed=1)


@pytest.mark.parametrize("name", targets.TARGETS)
def test_the_inputs_a_target_begins_with_are_good_ones(name: str) -> None:
    fuzz(name, 1, seed=0)
    with targets.TARGETS[name]() as target:
        for seed in target.seeds:
            target.check(seed)


def test_the_same_seed_gives_the_same_inputs_and_none_is_larger_than_a_body() -> None:
    first, again, other = (list(inputs([b"seed=1"], 500, Random(n))) for n in (1, 1, 2))
    assert first == again != other
    assert len(first) == 500
    assert len(set(first)) > 300
    assert max(map(len, first)) <= LARGEST_BYTES


def test_an_input_that_is_read_wrongly_is_found_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def fragile() -> Iterator[targets.Target]:
        yield targets.Target([b"ready=1"], lambda data: int(data.partition(b"=")[2]) and None)

    monkeypatch.setitem(targets.TARGETS, "fragile", fragile)
    with pytest.raises(Wrong) as wrong:
        fuzz("fragile", 1000, seed=1)
    assert isinstance(wrong.value.__cause__, ValueError)
    with pytest.raises(ValueError, match="invalid literal"):
        int(wrong.value.data.partition(b"=")[2])
