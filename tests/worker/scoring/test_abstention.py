from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.worker.scoring.abstention import is_whole_abstention
from groundwire.worker.scoring.non_claims import is_abstention

ABSTENTIONS = """
The documents provided do not contain an answer to this question.
I don't know.
I don\u2019t know the answer to that question.
I do not know who wrote the book.
I'm not sure.
I cannot answer based on the provided context.
I can't answer that.
I'm sorry, but I cannot answer this question based on the given context.
I am unable to answer this question with the information provided.
Sorry, I don't have enough information to answer that.
I don't have any information about the warranty period.
I do not have access to that information.
I have no information regarding the date of the merger.
I lack the necessary information to answer this.
I couldn't find an answer to your question in the sources provided.
I was unable to find relevant information in the knowledge base.
There is no information about lead levels in the context.
There is no information in the provided documents about the price of the pump.
There is not enough information in the context to answer the question.
There isn't enough information to answer.
The context does not provide information about the author.
The provided context does not contain enough information to answer the question.
The text does not specify when the bridge was built.
The passage doesn't say.
The retrieved documents don't cover this question.
The documents do not include any details about the refund policy.
The search results do not provide any information on how to reset the password.
The given sources are not sufficient to answer the question.
None of the documents answer the question.
Nothing in the context answers this question.
Based on the provided context, I cannot determine when the law was passed.
Based on the documents, it is not possible to determine the exact date.
As an AI language model, I cannot answer this question.
Unfortunately, the provided documents do not contain the answer.
No relevant information was found in the provided documents.
The answer is not in the context.
The answer to this question is not found in the provided text.
This information is not available in the provided context.
It is not mentioned in the context.
It is unclear from the context whether the offer still applies.
The question cannot be answered based on the given passages.
Insufficient information.
Unknown.
**I don't know.** [1]
""".strip().splitlines()

CLAIMS = """
The documents do not contain any reference to lead.
The report does not mention the merger.
Paris is the capital of France.
I don't know who wrote it, but the book was published in 1889.
There is no information about lead, but zinc is at 5 mg.
There is no evidence that the drug reduces mortality.
The study does not provide evidence that the drug works.
No evidence was found.
The company does not provide information about salaries to third parties.
The contract contains no information about liability caps because it was revoked in 2019.
The information is not disclosed to third parties.
No information about patients is stored.
The files do not contain data about customers.
The service is not available.
It is impossible to open the valve without a key.
I need more information to answer, and the deadline is Friday.
The article does not say the drug is safe.
""".strip().splitlines()


@pytest.mark.parametrize("sentence", ABSTENTIONS)
def test_sentences_that_only_say_that_they_cannot_answer(sentence: str) -> None:
    assert is_abstention(sentence)


@pytest.mark.parametrize("sentence", CLAIMS)
def test_sentences_that_say_something_of_the_subject(sentence: str) -> None:
    assert not is_abstention(sentence)


@pytest.mark.parametrize(
    "sentences",
    [
        ["I'm sorry.", "I can't answer this question based on the context.", "Please provide more details."],
        ["I don't know.", "If you can provide more context, I'd be happy to help!"],
        ["Please check the official website.", "I don't have that information."],
    ],
)
def test_courtesies_may_stand_beside_an_abstention(sentences: list[str]) -> None:
    assert is_whole_abstention(sentences)


@pytest.mark.parametrize(
    "sentences",
    [[], ["I'm sorry."], ["I don't know.", "Paris is nice."], ["Paris is nice.", "I don't know the rest."], ["", "?"]],
)
def test_an_answer_that_claims_something_is_no_abstention(sentences: list[str]) -> None:
    assert not is_whole_abstention(sentences)


@given(st.text(), st.sampled_from(ABSTENTIONS))
def test_any_text_is_judged(text: str, abstention: str) -> None:
    assert is_whole_abstention([text]) in (True, False)
    assert is_whole_abstention([abstention, "The pump costs 5 euros.", text]) is False


@pytest.mark.parametrize("piece", ["the answer to this question ", "in the provided context ", "about a ", "sorry "])
def test_repetitive_sentences_are_judged_too(piece: str) -> None:
    assert not is_abstention("I cannot " + piece * 8)
    assert not is_abstention(piece * 5_000)
