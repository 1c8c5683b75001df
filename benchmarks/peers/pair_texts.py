"""Pairs of texts that are exactly so many tokens long, and different each time; for both virtual environments."""

from __future__ import annotations

from random import Random

CONTROL_TOKENS = 3
"""What the encoder adds around premise and hypothesis."""

HYPOTHESIS_WORDS = 10
"""A short sentence of an answer."""

WORDS = (  # noqa: SIM905 - a hundred words in quotes of their own are harder to read
    "water stone river house winter summer market village mountain forest garden bridge school doctor teacher "
    "letter window morning evening history science paper money company member number result report review system "
    "office street island harbour engine driver farmer soldier writer reader player leader father mother brother "
    "sister animal horse bird fish tree flower fruit bread sugar coffee silver iron copper glass wood leather "
    "cotton north south east west early late large small old young new long short high deep dark light heavy "
    "strong cold warm open closed known found built made sold lost given taken written moved opened began ended "
    "because before after under over between during while where when every several many most other"
).split()
"""Words that are one token each in DeBERTa-v3's vocabulary, so that words can be counted in place of tokens."""


def pair_texts(length: int, count: int, seed: int) -> list[tuple[str, str]]:
    """Give (premise, hypothesis) pairs of random words.

    Args:
        length: Tokens of each pair, control tokens included; more than 13.
        count: How many pairs.
        seed: Another one gives other texts, so that nothing is remembered from one measurement to the next.
    """
    rng = Random(seed)  # noqa: S311 - a reproducible choice, not a secret
    premise_words = length - CONTROL_TOKENS - HYPOTHESIS_WORDS
    return [
        (" ".join(rng.choices(WORDS, k=premise_words)), " ".join(rng.choices(WORDS, k=HYPOTHESIS_WORDS)))
        for _ in range(count)
    ]
