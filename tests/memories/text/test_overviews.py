"""Questions for all that is known of the user, in any words; questions for something particular are none."""

from __future__ import annotations

import pytest

from memories.text.clauses.overviews import OverviewTopic, find_overview_topic

EVERYTHING = """
Summarise what you know about me
What do you remember about me so far?
Who am I?
Give me a short profile of me
Describe me in three sentences.
What kind of person am I?
What have I told you about myself so far?
Can you recap all the facts you've stored on me?
How well do you know me?
总结一下你对我的了解
你都记得我什么？
我是谁？
我是个什么样的人？
关于我你知道些什么
介绍一下我这个人
列出我的所有记忆
你还记得我吗？
把你知道的关于我的一切告诉我
"""
PARTICULAR = """
What do you know about my sister's dog?
What did Anna tell you about me?
Who am I meeting on Friday?
What do you know about Rome?
What do I like to drink?
What is my job?
What are my plans for Friday?
Is there anything about meetings on Tuesday?
Tell me a story of myth
我姐姐知道我喜欢什么吗
你知道我女儿叫什么吗？
你知道我什么时候生日吗
关于我女儿的学校你知道什么？
我的工作是什么？
介绍一下北京
总结一下这篇文章
"""


@pytest.mark.parametrize("question", EVERYTHING.strip().split("\n"))
def test_all_that_is_known_is_asked_for(question: str) -> None:
    assert find_overview_topic(question) is OverviewTopic.EVERYTHING


@pytest.mark.parametrize("question", PARTICULAR.strip().split("\n"))
def test_something_particular_is_asked_for(question: str) -> None:
    assert find_overview_topic(question) is None


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What do you know about my family?", OverviewTopic.PEOPLE),
        ("Summarise my work", OverviewTopic.WORK),
        ("What are my plans?", OverviewTopic.PLANS),
        ("Tell me about my health", OverviewTopic.HEALTH),
        ("What do I like?", OverviewTopic.PREFERENCES),
        ("我的家人有哪些？", OverviewTopic.PEOPLE),
        ("你知道我的健康情况吗？", OverviewTopic.HEALTH),
        ("我喜欢什么？", OverviewTopic.PREFERENCES),
        ("我接下来有什么安排", OverviewTopic.PLANS),
    ],
)
def test_all_of_one_kind_is_asked_for(question: str, topic: OverviewTopic) -> None:
    assert find_overview_topic(question) is topic
