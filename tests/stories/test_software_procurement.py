"""A company's policy on software: uploaded, asked about, put right by one sentence, right for everybody."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from knowledgebase.bases.bases import link_base, load_base
from tenancy.keys.keys import create_key
from tenancy.models import User
from tenancy.projects.projects import create_project
from tests.support.api_client import Api, Tenant, message
from tests.support.documents.policy_files import CHINESE, ENGLISH, policy_pdf
from tests.support.knowledge.knowledge import filled_base


@dataclass(frozen=True, slots=True)
class Words:
    """The story in one language."""

    paragraphs: tuple[str, ...]
    position: str
    knows: str
    question: str
    feedback: str
    old: str
    new: str
    other: str


IN_ENGLISH = Words(
    ENGLISH,
    "I am a designer in the Creative Platform Department.",
    "designer",
    "Check the software procurement reimbursement limit for me.",
    "The procurement limit for office software is 600 yuan, not 800 yuan.",
    "office software is 800 yuan",
    "office software is 600 yuan",
    "travel allowance is 800 yuan",
)
IN_CHINESE = Words(
    CHINESE,
    "我是创意平台部的设计师。",
    "设计师",
    "帮我查一下软件采购的报销上限。",
    "办公软件的采购上限是600元，不是800元。",
    "办公软件的采购上限为800元",
    "600元",
    "差旅补贴标准为每天800元",
)


@pytest.mark.parametrize("words", [IN_ENGLISH, IN_CHINESE], ids=["English", "Chinese"])
def test_one_sentence_puts_the_policy_right_for_everybody(api: Api, tenant: Tenant, words: Words) -> None:
    base = filled_base(api, {"policy.pdf": policy_pdf(words.paragraphs)}, "Reimbursement")
    api.add("designer", words.position, message("assistant", "OK."), conversation_id="0610")

    facts = api.facts(
        "designer", words.question, knowledgebase_ids=[base], conversation_id="1211", relativity=0
    )
    assert any(words.knows in text for text in facts)
    assert any("1000" in text for text in facts)
    assert any(words.old in _joined(text) for text in facts)

    body = {"user_id": "supervisor", "conversation_id": "1212", "feedback_content": words.feedback}
    task = api.data("add/feedback", {**body, "allow_knowledgebase_ids": [base]})["task_id"]
    assert api.wait_until_done(task) == "completed"

    _everybody_gets_the_new_limit(api, words, base)
    with _another_project(tenant, base).api() as elsewhere:
        _everybody_gets_the_new_limit(elsewhere, words, base)


def _everybody_gets_the_new_limit(api: Api, words: Words, base: str) -> None:
    for user in ("designer", "newcomer"):
        for threshold in ({}, {"relativity": 0}):
            facts = api.facts(user, words.question, knowledgebase_ids=[base], **threshold)
            of_base = [_joined(text) for text in facts if words.knows not in text]
            assert words.new in of_base[0], of_base
            assert not any(words.old in text for text in of_base)
    everything = api.facts("newcomer", words.other, knowledgebase_ids=[base], relativity=0)
    assert any(words.other in _joined(text) for text in everything)


def _joined(text: str) -> str:
    """Without the line ends of the page, which in Chinese stand for nothing."""
    return text.replace("\n", " ") if text.isascii() else "".join(text.split())


def _another_project(tenant: Tenant, base: str) -> Tenant:
    """One of the same account, which the base is linked to as well."""
    account = tenant.project.account
    project = create_project(account, "second", "", User.objects.get(email=tenant.email))
    link_base(project, load_base(tenant.project, base))
    login = {"email": tenant.email, "password": tenant.password, "project_id": str(project.pk)}
    return Tenant(tenant.url, {**login, "api_key": create_key(project, "second").plaintext})


SHOP = (
    "Puppy food guide\n\nDiarrhea after a change of dog food is common in puppies. The usual cure is to switch to a"
    " hypoallergenic dog food over seven days.\n\nHypoallergenic puppy food: B is made of chicken, C is made of salmon."
)


def test_a_shop_remembers_the_dog_and_knows_the_food(api: Api) -> None:
    base = filled_base(api, {"dog food.md": SHOP.encode()}, "Dog food")
    api.add("kim", "I have a three-month-old Golden Retriever.", "My dog doesn't eat chicken flavor.")
    api.add("kim", "I bought lamb puppy food.")

    question = "The dog has diarrhea eating this dog food. I want to change to another one."
    answer = api.search("kim", question, knowledgebase_ids=[base], relativity=0)

    texts = [memory["memory_value"] for memory in answer["memory_detail_list"]]
    texts += [preference["preference"] for preference in answer["preference_detail_list"]]
    assert any("chicken" in text and "user" in text.lower() for text in texts)
    assert any("lamb" in text for text in texts)
    assert any("hypoallergenic" in text.lower() and "salmon" in text for text in texts)


PROXY = {
    "troubleshooting.md": b"# Intranet proxy troubleshooting\n\nWhen the intranet proxy does not open, restart it, and"
    b" then install it again in the version of your machine.\n",
    "intel.md": b"# Installing the intranet proxy on a Mac with an Intel chip\n\nDownload the Intel package of the"
    b" intranet proxy, open it and allow it in the system settings of the MacBook.\n",
    "windows.md": b"# Installing the intranet proxy on Windows\n\nRun the Windows client of the intranet proxy as an"
    b" administrator.\n",
}


def test_an_assistant_knows_the_machine_and_its_installation(api: Api) -> None:
    base = filled_base(api, PROXY, "Intranet")
    api.add("kim", "My computer is a MacBook Pro 13-inch with an Intel chip.", conversation_id="day 1")

    question = "The intranet proxy won't open. Which version should I reinstall?"
    facts = api.facts("kim", question, knowledgebase_ids=[base], conversation_id="day 20", relativity=0)

    assert any("MacBook Pro" in text and "user" in text.lower() for text in facts)
    assert any("Intel package" in text for text in facts)
    assert any("restart it" in text for text in facts)
