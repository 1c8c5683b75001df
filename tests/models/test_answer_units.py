"""What an answer consists of, by Markdown and by look."""

from __future__ import annotations

import pytest

from groundwire.models import RuleSplitter
from groundwire.models.answer_units import UnitKind, answer_units

S, H, C = UnitKind.SENTENCE, UnitKind.HEADING, UnitKind.CODE
TH, TR = UnitKind.TABLE_HEADER, UnitKind.TABLE_ROW


def units(text: str) -> list[tuple[UnitKind, str]]:
    return [(unit.kind, text[unit.start : unit.end]) for unit in answer_units(text, RuleSplitter())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Pumps\n\nThey move.", [(H, "Pumps"), (S, "They move.")]),
        ("###### Pumps ######\nThey move.", [(H, "Pumps"), (S, "They move.")]),
        ("## **The seal** ##\n#\nIt leaks.", [(H, "**The seal**"), (S, "It leaks.")]),
        ("> ## Pumps\n> They move.", [(H, "Pumps"), (S, "They move.")]),
        ("Pumps\n=====\nThey move.", [(H, "Pumps"), (S, "They move.")]),
        ("Pumps\n---\nThey move.", [(H, "Pumps"), (S, "They move.")]),
        ("**Pumps**\n\nThey move.", [(H, "**Pumps**"), (S, "They move.")]),
        ("**Pumps:**\n- They move.", [(H, "**Pumps:**"), (S, "They move.")]),
        ("__1. The seal__:\nIt leaks.", [(H, "__1. The seal__:"), (S, "It leaks.")]),
        ("1. **The seal**\n   - It leaks.", [(H, "**The seal**"), (S, "It leaks.")]),
        ("Key features:\n- It is quiet.", [(H, "Key features:"), (S, "It is quiet.")]),
        ("Before you start\n\n1. Close it.", [(H, "Before you start"), (S, "Close it.")]),
        ("Features of the HX-4 Pump\n- quiet", [(H, "Features of the HX-4 Pump"), (S, "quiet")]),
        (
            "What is new\nThe pump is quieter than before.",
            [(H, "What is new"), (S, "The pump is quieter than before.")],
        ),
    ],
)
def test_headings_name_what_follows(text: str, expected: list[tuple[UnitKind, str]]) -> None:
    assert units(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The sky is blue",
        "The sky is blue\n- and the grass is green",
        "The sky is blue\n\nIt was grey before.",
        "**The tower was built in 1889**\n\nIt is old.",
        "**The tower is 330 metres high.**\n\nIt is old.",
        "**Paris**",
        "- **Paris**\n- **London**\n- **Rome**",
        "apples\npears\nplums",
        "Starter plan\n\nTeam plan\n\nBilled monthly",
        "The tower is high\n---\nIt is old.",
        "It weighs 14 kilograms\n- with its case",
        "Height: 330 metres\n- with its mast",
        "Paris, the capital\n- is large",
        "#hashtag is no heading\n- at all",
        "It is old.\nBefore you start\n- close it",
        "Birds sing at dawn\n- in spring",
        "Before you start\n\n\n" + "\n" * 30 + "- close it",
    ],
)
def test_a_statement_is_no_heading(text: str) -> None:
    assert {kind for kind, _ in units(text)} == {S}


@pytest.mark.parametrize("line", ["---", "***", "* * *", "___", "- - - -"])
def test_a_drawn_line_is_no_unit(line: str) -> None:
    assert units(f"It leaks.\n\n{line}\n\nIt is old.") == [(S, "It leaks."), (S, "It is old.")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Run:\n```sh\n# a. B. c\nrm x[1]\n```\nIt ends.",
            [(S, "Run:"), (C, "```sh\n# a. B. c\nrm x[1]\n```"), (S, "It ends.")],
        ),
        ("~~~~\nA. B.\n~~~\nC. D.\n~~~~\nIt ends.", [(C, "~~~~\nA. B.\n~~~\nC. D.\n~~~~"), (S, "It ends.")]),
        ("It begins.\n```\nx = 1\n\ny = 2", [(S, "It begins."), (C, "```\nx = 1\n\ny = 2")]),
        (
            "- Do this:\n  ```\n  x. Y.\n  ```\n- It ends.",
            [(S, "Do this:"), (C, "```\n  x. Y.\n  ```"), (S, "It ends.")],
        ),
        ("Inline ```x = 1``` is prose.", [(S, "Inline ```x = 1``` is prose.")]),
        ("```markdown\n# Pumps\nThey move.\n```\n", [(H, "Pumps"), (S, "They move.")]),
        ("```md\nThey move.\n```py\nx\n```\nIt ends.\n```", [(S, "They move."), (C, "```py\nx\n```"), (S, "It ends.")]),
    ],
)
def test_fenced_code_is_one_unit(text: str, expected: list[tuple[UnitKind, str]]) -> None:
    assert units(text) == expected


TABLE = "| Plan | Seats |\n|------|:-----:|\n| Starter | 15 |\n| **Team** [1] | 3 |\n"


def test_rows_of_a_table_state_their_cells_with_their_headers() -> None:
    found = answer_units(f"The plans are:\n\n{TABLE}\nThey are cheap.", RuleSplitter())
    assert [unit.kind for unit in found] == [S, TH, TH, TR, TR, S]
    assert [unit.statement for unit in found] == [
        *(None, None, None),
        "Plan: Starter; Seats: 15",
        "Plan: **Team** [1]; Seats: 3",
        None,
    ]


@pytest.mark.parametrize(
    ("text", "statements"),
    [
        ("a | b\n--|--\n1 | 2", ["a: 1; b: 2"]),
        ("| a | b |\n|-|-|\n| 1 | |\n| | 2 |\n| 3 | 4 | 5 |", [None, None, "a: 3; b: 4; 5"]),
        ("| | Starter | Team |\n|---|---|---|\n| Seats | 3 | 15 |", ["Seats; Starter: 3; Team: 15"]),
        ("| # | Name | Role |\n|---|---|---|\n| 1 | Ada | Engineer |", ["Name: Ada; Role: Engineer"]),
        ("| Plan | SSO | API |\n|---|---|---|\n| Team | \u2705 | \u2714\ufe0f |", ["Plan: Team; SSO: yes; API: yes"]),
        ("| Plan | SSO | API |\n|---|---|---|\n| Team | \u274c | \u2013 |", ["Plan: Team; SSO: no"]),
        ("| a | b |\n|---|---|\n| x \\| y | z |", ["a: x | y; b: z"]),
        (f"| a | {'b' * 101} |\n|---|---|\n| 1 | 2 |", ["a: 1; 2"]),
        ("| City |\n|------|\n| Paris |", ["City: Paris"]),
        ("> | a | b |\n> |---|---|\n> | 1 | 2 |", ["a: 1; b: 2"]),
        ("| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n\r\n| no | table |", ["a: 1; b: 2"]),
    ],
)
def test_tables_in_many_shapes(text: str, statements: list[str | None]) -> None:
    found = answer_units(text, RuleSplitter())
    rows = [unit for unit in found if unit.kind in (TH, TR)][2:]
    assert [unit.statement for unit in rows] == statements
    assert [unit.kind is TR for unit in rows] == [statement is not None for statement in statements]


def test_the_span_of_a_row_is_the_row() -> None:
    assert [text for kind, text in units(f"> It is so:\n\n{TABLE}") if kind is TR] == [
        "| Starter | 15 |",
        "| **Team** [1] | 3 |",
    ]


@pytest.mark.parametrize("text", ["a | b is an operator.\nIt is old.", "| a | b |\nIt is old.", "|---|---|\n| 1 | 2 |"])
def test_bars_alone_make_no_table(text: str) -> None:
    assert {kind for kind, _ in units(text)} == {S}


@pytest.mark.parametrize("text", ["", " \n", "#", "***\n---", "- \n* \n1.", "> \n>"])
def test_an_answer_of_marks_has_no_units(text: str) -> None:
    assert units(text) == []


@pytest.mark.parametrize(
    "hostile",
    [
        "|" * 100_000,
        "|-" * 50_000,
        "```\n" * 20_000,
        "# \n" * 30_000,
        "**a**\n" * 20_000,
        "\n" * 100_000,
        ">" * 100_000,
        "|a" * 50_000 + "\n" + "|-" * 50_000 + "\n" + "|1|2\n" * 50_000,
    ],
)
def test_hostile_texts_take_no_more_than_linear_time(hostile: str) -> None:
    found = answer_units(hostile, RuleSplitter())
    assert sum(unit.end - unit.start for unit in found) <= len(hostile)
