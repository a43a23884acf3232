"""R's stream of random numbers: the Mersenne Twister as ``set.seed`` starts it, and the draws that
R makes of it (``sample.kind = "Rejection"``, ``normal.kind = "Inversion"``).

Only `syn()` uses it, because only `syn()` has to give R's data. It is not a source of secrets: R's
seeds have 32 bits. So a stream without a seed takes its words from the operating system.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.arrays import Floats, Integers
from ..release_seed import system_words

__all__ = ["RStream", "weighted_positions"]

WORD = 2.3283064365386963e-10  # what R multiplies a 32-bit word by
END = 2.328306437080797e-10  # R keeps uniforms half of this away from 0 and 1
BLOCK = 4096
MASK_32 = 0xFFFFFFFF
MOST_TRIES = 64


class RStream:
    """Uniform numbers as R draws them after ``set.seed(seed)``, and how many were used.
    Without a seed nobody can draw them again.

    >>> RStream(42).uniforms(2).round(7).tolist()
    [0.914806, 0.9370754]
    """

    def __init__(self, seed: int | None) -> None:
        self._words = system_words if seed is None else _words_after_set_seed(seed)
        self._ahead: Floats = np.empty(0)
        self.used = 0

    def uniforms(self, size: int) -> Floats:
        """``runif(size)``."""
        numbers = self._look_ahead(size)
        self._use(size)
        return numbers

    def below(self, bound: int, size: int) -> Integers:
        """``sample.int(bound, size, replace = TRUE) - 1``."""
        bits = _bits_for(bound)
        words = bits // 16 + 1
        accepted: list[Integers] = []
        missing = size
        while missing > 0:
            tries = missing + min(missing, MOST_TRIES)
            numbers = self._look_ahead(tries * words)
            values = _joined_bits(numbers.reshape(tries, words), bits)
            good = np.flatnonzero(values < bound)[:missing]
            # what lies after the last number needed stays in the stream
            tried = tries if len(good) < missing else int(good[-1]) + 1
            self._use(tried * words)
            accepted.append(values[good])
            missing -= len(good)
        return np.concatenate(accepted) if accepted else np.empty(0, dtype=np.int64)

    def normals(self, size: int) -> Floats:
        """``rnorm(size)``."""
        coarse, fine = self.uniforms(2 * size).reshape(size, 2).T
        shares = (np.floor(134217728 * coarse) + fine) / 134217728
        return np.array([_normal_quantile(p) for p in shares.tolist()])

    def shrinking(self, n: int, size: int) -> list[int]:
        """Indices below n, n - 1, … for ``sample.int(n, size)``, drawn from the rest. R asks for
        each by rejection, so the number of uniforms used depends on every bound.
        """
        indices: list[int] = []
        while len(indices) < size:
            bound = n - len(indices)
            bits = _bits_for(bound)
            words = bits // 16 + 1
            # as long as the bound needs as many bits, the numbers are read in the same way
            lowest = max((1 << bits) // 2 if bits else 0, n - size)
            tries = 2 * (bound - lowest) + MOST_TRIES
            numbers = self._look_ahead(tries * words).reshape(tries, words)
            tried = 0
            for value in _joined_bits(numbers, bits).tolist():
                if bound == lowest:
                    break
                tried += 1
                if value < bound:
                    indices.append(value)
                    bound -= 1
            self._use(tried * words)
        return indices

    def _look_ahead(self, size: int) -> Floats:
        """The next `size` uniforms, which stay in the stream."""
        lacking = size - len(self._ahead)
        if lacking > 0:
            words = self._words(max(lacking, BLOCK)) & MASK_32
            uniforms = np.clip(words * WORD, 0.5 * END, 1 - 0.5 * END)
            self._ahead = np.concatenate((self._ahead, uniforms))
        return self._ahead[:size]

    def _use(self, size: int) -> None:
        self._ahead = self._ahead[size:]
        self.used += size


def weighted_positions(weights: Sequence[float], uniforms: Floats) -> Integers:
    """``sample.int(n, 1, prob = weights) - 1`` for each uniform.

    R sorts the probabilities in descending order by a heap sort that is not stable: the order it
    leaves among equal ones decides which value a uniform hits.

    >>> weighted_positions([1, 2, 1], np.array([0.3, 0.6, 0.9])).tolist()
    [1, 2, 0]
    """
    total = 0.0
    for weight in weights:
        total += weight
    shares = [weight / total for weight in weights]
    order = np.array(heap_order_descending(shares), dtype=np.int64)
    running = np.add.accumulate(np.array(shares)[order])
    places = np.searchsorted(running, uniforms, side="left")
    # rounding can leave the last running sum below 1
    return order[np.minimum(places, len(order) - 1)]


def heap_order_descending(values: Sequence[float]) -> list[int]:
    """Positions of `values` in descending order, as R's ``revsort`` leaves them.

    A heap with the smallest value on top; the top goes to the end of what is not yet sorted.

    >>> heap_order_descending([0.25, 0.25, 0.25, 0.25])
    [1, 2, 3, 0]
    """
    heap = list(range(len(values)))
    for top in range(len(heap) // 2 - 1, -1, -1):
        _sift(heap, values, heap[top], top, len(heap))
    for end in range(len(heap) - 1, 0, -1):
        item = heap[end]
        heap[end] = heap[0]
        _sift(heap, values, item, 0, end)
    return heap


def _sift(heap: list[int], values: Sequence[float], item: int, top: int, end: int) -> None:
    """Put `item` at `top` of heap[:end], or below smaller children."""
    child = 2 * top + 1
    while child < end:
        both = heap[child : min(child + 2, end)]
        smaller = min(both, key=values.__getitem__)  # the first of equal ones
        if not values[item] > values[smaller]:
            break
        child += both.index(smaller)
        heap[top] = heap[child]
        top = child
        child = 2 * top + 1
    heap[top] = item


def _words_after_set_seed(seed: int) -> Callable[[int], Any]:
    """A linear congruence scrambles the seed, then fills the generator's key."""
    value = seed & MASK_32
    words = []
    for _ in range(50 + 625):
        value = (69069 * value + 1) & MASK_32
        words.append(value)
    key = np.array(words[51:], dtype=np.uint32)  # the one before it is the position, which R resets
    twister = np.random.MT19937()
    twister.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 624}}
    return twister.random_raw


def _bits_for(bound: int) -> int:
    return math.ceil(math.log2(bound))


def _joined_bits(uniforms: Floats, bits: int) -> Integers:
    """Sixteen bits of each uniform, the first most significant, cut to the low `bits` bits."""
    pieces = np.floor(65536 * uniforms).astype(np.int64)
    values = pieces[:, 0]
    for piece in pieces.T[1:]:
        values = 65536 * values + piece
    return values & ((1 << bits) - 1)


# Wichura's algorithm AS 241 (PPND16): for the middle, the flanks and the tails the coefficients of
# numerator and denominator, highest power first, eight each
COEFFICIENTS = """
2509.0809287301226727 33430.575583588128105 67265.770927008700853 45921.953931549871457
13731.693765509461125 1971.5909503065514427 133.14166789178437745 3.387132872796366608
5226.495278852854561 28729.085735721942674 39307.89580009271061 21213.794301586595867
5394.1960214247511077 687.1870074920579083 42.313330701600911252 1.0
7.7454501427834140764e-4 0.0227238449892691845833 0.24178072517745061177 1.27045825245236838258
3.64784832476320460504 5.7694972214606914055 4.6303378461565452959 1.42343711074968357734
1.05075007164441684324e-9 5.475938084995344946e-4 0.0151986665636164571966 0.14810397642748007459
0.68976733498510000455 1.6763848301838038494 2.05319162663775882187 1.0
2.01033439929228813265e-7 2.71155556874348757815e-5 0.0012426609473880784386 0.026532189526576123093
0.29656057182850489123 1.7848265399172913358 5.4637849111641143699 6.6579046435011037772
2.04426310338993978564e-15 1.4215117583164458887e-7 1.8463183175100546818e-5 7.868691311456132591e-4
0.0148753612908506148525 0.13692988092273580531 0.59983220655588793769 1.0
"""
ALL = np.array(COEFFICIENTS.split(), dtype=float)
CENTRAL, FLANK, TAIL = ALL.reshape(3, 2, 8).tolist()


def _normal_quantile(p: float) -> float:
    """The standard normal quantile of p."""
    from_middle = p - 0.5
    if abs(from_middle) <= 0.425:
        r = 0.180625 - from_middle * from_middle
        return from_middle * _polynomial(CENTRAL[0], r) / _polynomial(CENTRAL[1], r)
    tail = p if from_middle < 0 else 1 - p
    r = math.sqrt(-math.log(tail))
    (above, below), r = (FLANK, r - 1.6) if r <= 5 else (TAIL, r - 5)
    value = _polynomial(above, r) / _polynomial(below, r)
    return -value if from_middle < 0 else value


def _polynomial(coefficients: list[float], r: float) -> float:
    value = 0.0
    for coefficient in coefficients:
        value = value * r + coefficient
    return value
