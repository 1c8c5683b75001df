from __future__ import annotations

from dataclasses import replace

from groundwire.schemas import MetricName, ProfileName
from groundwire.worker.scoring.profiles import PROFILES, RetrievedEvidence

EVIDENCE = PROFILES[ProfileName.EVIDENCE]


def test_every_profile_has_a_hash_of_its_own() -> None:
    hashes = {profile.config_hash for profile in PROFILES.values()}
    assert len(hashes) == len(PROFILES) == len(ProfileName)
    assert all(len(value) == 64 for value in hashes)


def test_the_hash_changes_with_every_number_but_the_thresholds() -> None:
    others = [
        replace(EVIDENCE, temperature=1.0),
        replace(EVIDENCE, exhaustive=True),
        replace(EVIDENCE, premises=RetrievedEvidence((1,))),
        EVIDENCE.with_limits(min_context_chars=0, min_completion_tokens=10, min_sentence_words=5),
        EVIDENCE.with_limits(min_context_chars=50, min_completion_tokens=0, min_sentence_words=5),
        EVIDENCE.with_limits(min_context_chars=50, min_completion_tokens=10, min_sentence_words=1),
    ]
    assert len({EVIDENCE.config_hash, *(other.config_hash for other in others)}) == len(others) + 1
    assert replace(EVIDENCE, thresholds={MetricName.FAITHFULNESS: 0.9}).config_hash == EVIDENCE.config_hash
