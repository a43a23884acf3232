"""Random numbers of releases. Every function that makes data for others takes `seed` and
`reproducible` and draws through `release_generator`:

seed : leave it out for a release; the operating system draws. Anyone who has the seed, a whole
    number or a numpy.random.Generator, can make the same data again and undo the release
    (docs/pages/explanation/threat-model.md says how). A seed of fewer than 100 bits can be guessed
    and gives a warning; `secrets.randbits(128)`, kept secret, cannot be guessed.
reproducible : True for teaching and tests, where nothing is released: a short seed then gives no
    warning.

Analyses (audits, ties, the bootstrap), whose draws protect nobody, draw through
`arguments.random_generator`.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .arguments import check_flag, random_generator
from .core.arrays import Integers
from .errors import InputError, SeedWarning, warn

__all__ = ["SystemGenerator", "release_generator", "system_words", "warn_of_guessable_seed"]

FEWEST_BITS = 100  # secrets.randbits(128) is shorter once in 2 ** 28 calls
LARGEST = np.uint64(2**64 - 1)
WAY_OUT = (
    "leave seed out, or give secrets.randbits(128) and keep it secret; reproducible=True is for"
    " teaching and tests"
)


def release_generator(seed: Any, reproducible: Any = False) -> np.random.Generator:
    """The generator given, one started with the seed given, or the operating system.

    >>> release_generator(1, reproducible=True).integers(10, size=3).tolist()
    [4, 5, 7]
    >>> type(release_generator(None)).__name__
    'SystemGenerator'
    """
    harmless = check_flag("reproducible", reproducible)
    if seed is None and harmless:
        raise InputError(
            "reproducible: True, but seed is not given, so nothing can be repeated; give a seed, or"
            " leave reproducible out"
        )
    if seed is None:
        return SystemGenerator()
    generator = random_generator(seed)
    if generator is seed or harmless:
        return generator
    if int(seed).bit_length() < FEWEST_BITS:
        warn_of_guessable_seed("it has fewer than 100 bits", WAY_OUT)
    return generator


def warn_of_guessable_seed(why: str, way_out: str) -> None:
    """Warn without showing the seed: warnings end up in logs."""
    text = f"seed: can be guessed ({why}), and a release made with it can be undone; {way_out}"
    warn(text, SeedWarning)


def system_words(size: int) -> Any:
    """Words of 64 bits from the operating system, uint64, shape (size,)."""
    return np.frombuffer(os.urandom(8 * size), dtype=np.uint64)


class SystemGenerator(np.random.Generator):
    """A numpy Generator that takes every draw from the operating system.

    The package's own masks and models draw only with `random`, `standard_normal` and `integers`,
    and nothing links these draws to each other. Other methods and types of number, which a user's
    own model may ask for, are those of numpy's PCG64, started with 128 bits from the operating
    system.
    """

    def __init__(self) -> None:
        super().__init__(np.random.PCG64())

    def random(self, size: Any = None, *others: Any, **options: Any) -> Any:
        """Uniform from 0 to below 1, in steps of 2 ** -53."""
        if others or options:
            return super().random(size, *others, **options)
        words = _words(size)
        return _of_shape(size, _high_bits(words) * 2.0**-53)

    def standard_normal(self, size: Any = None, *others: Any, **options: Any) -> Any:
        """The normal quantile of a uniform number below one half, and a sign."""
        from scipy import special

        if others or options:
            return super().standard_normal(size, *others, **options)
        words = _words(size)
        # half a step from 0, where the quantile is infinite
        lower_tail = (_high_bits(words) + 0.5) * 2.0**-54
        sign = np.where(words & np.uint64(1), 1.0, -1.0)
        return _of_shape(size, sign * special.ndtri(lower_tail))

    def integers(
        self, low: Any, high: Any = None, size: Any = None, *others: Any, **options: Any
    ) -> Any:
        """Whole numbers from `low` to below `high`, all equally likely."""
        if others or options:
            return super().integers(low, high, size, *others, **options)
        first, end = (0, low) if high is None else (low, high)
        bounds = np.asarray(end) - np.asarray(first)
        if (bounds < 1).any():
            raise ValueError("low >= high")  # numpy's message
        shape = bounds.shape if size is None else size
        drawn = _below(np.broadcast_to(bounds, shape).reshape(-1))
        start = np.broadcast_to(first, shape).reshape(-1)
        return _of_shape(None if shape == () else shape, start + drawn)


def _below(bounds: Integers) -> Integers:
    """One number below each bound."""
    divisors = bounds.astype(np.uint64)
    # words of the incomplete last round would make small numbers likelier
    last = LARGEST - (LARGEST % divisors + np.uint64(1)) % divisors
    words = system_words(len(bounds)).copy()
    rejected = np.flatnonzero(words > last)
    while len(rejected):
        words[rejected] = system_words(len(rejected))
        rejected = rejected[words[rejected] > last[rejected]]
    below: Integers = (words % divisors).astype(np.int64)
    return below


def _words(size: Any) -> Any:
    number = 1 if size is None else int(np.prod(size))
    return system_words(number)


def _high_bits(words: Any) -> Any:
    return words >> np.uint64(11)


def _of_shape(size: Any, numbers: Any) -> Any:
    """Without a size a single number, as numpy gives it."""
    return numbers[0].item() if size is None else numbers.reshape(size)
