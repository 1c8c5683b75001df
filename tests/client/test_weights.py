from __future__ import annotations

import pytest

from groundwire.client import ClientSettings
from groundwire.client.combine_settings import CombineSettings
from groundwire.schemas import DEFAULT_WEIGHTS, SettingsError
from groundwire.worker.settings import WorkerSettings

BOTH = pytest.mark.parametrize("kind", [CombineSettings, WorkerSettings])


@BOTH
def test_the_defaults(kind: type[CombineSettings | WorkerSettings]) -> None:
    assert kind.from_env({}).weights == DEFAULT_WEIGHTS


@BOTH
def test_weights_are_read_with_names_of_any_system(kind: type[CombineSettings | WorkerSettings]) -> None:
    settings = kind.from_env({"GROUNDWIRE_WEIGHTS": "faithfulness=2, answer_relevancy =1e-1,vendor=x=0"})
    assert settings.weights == {"faithfulness": 2.0, "answer_relevancy": 0.1, "vendor=x": 0.0}


@BOTH
@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("faithfulness", "is no list of names"),
        ("=1", "is no list of names"),
        ("a=1,", "is no list of names"),
        ("a=1,a=2", "names a twice"),
        ("a=much", "the weight of a is no number"),
        ("a=", "the weight of a is no number"),
        ("a=-1", "weight of a: -1.0 is not a finite number of zero or more"),
        ("a=nan", "weight of a: nan is not a finite number of zero or more"),
        ("a=inf", "weight of a: inf is not a finite number of zero or more"),
        ("a=0,b=0", "weights: all of them are zero"),
    ],
)
def test_weights_that_cannot_be_used_are_told(
    kind: type[CombineSettings | WorkerSettings], value: str, problem: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        kind.from_env({"GROUNDWIRE_WEIGHTS": value})
    message = str(caught.value)
    assert message.startswith(f"GROUNDWIRE_WEIGHTS={value}: {problem}")
    assert "as in faithfulness=0.4,groundedness=0.2" in message


def test_the_variables_of_one_command_do_not_look_like_slips_to_another() -> None:
    kinds: tuple[type[ClientSettings], ...] = (ClientSettings, CombineSettings, WorkerSettings)
    names = {name for kind in kinds for name in kind.model_fields} - set(ClientSettings.model_fields)
    for kind in kinds:
        foreign = names - set(kind.model_fields)
        assert kind.from_env(dict.fromkeys((f"GROUNDWIRE_{name.upper()}" for name in foreign), "x")) == kind()
