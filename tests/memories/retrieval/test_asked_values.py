"""Which memories can hold the value that a question asks for."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memories.retrieval.queries.parser import parse_question
from memories.retrieval.values_held.held import find_held_values
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import search_terms
from tests.support.api_client import Api

NOW = datetime(2026, 6, 1, tzinfo=UTC)


def can_answer(question: str, memory: str) -> bool | None:
    """None where the question asks for no value."""
    is_held = parse_question(question, NOW).asked_value
    if is_held is None:
        return None
    return is_held(" ".join(search_terms(memory)), find_held_values(memory, detect_language(memory)))


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What do I pay for my parking space?", "The user's parking space is behind the mill."),
        ("Who is my accountant?", "Lena earns a bit more than the user."),
        ("Who's our solicitor?", "The user's brother Tom is a baker."),
        ("What is my vet's name?", "Biscuit is called the king of the street."),
        ("Who is my surgeon?", "Surgery was on the 3rd (3 March 2026)."),
        ("What is my frequent flyer number?", "The user's flight is BA 482."),
        ("What is my student number?", "The user has 3 lectures on Monday."),
        ("How much does Ines earn?", "Ines got a job at the harbour on 3 May 2026."),
        ("What is my shed's square footage?", "The user painted the shed green."),
        ("How old is my uncle?", "The user's uncle keeps geese."),
        ("What is my savings account number?", "The user's mobile is 07700 900441."),
        ("What is my savings account number?", "The user opened a savings account."),
        ("How old is my gran?", "The user calls the gran every Sunday at four."),
        ("What is the vet's phone number?", "The user's vet is on Hill Street, number 4."),
        ("When is Ana's birthday?", "Ana moved to Bremen on 4 May 2026."),
        ("我的车位每月多少钱？", "用户的车位在磨坊后面。"),
        ("我家有几辆摩托？", "用户家种三十亩玉米。"),
        ("店里有几张沙发？", "用户的店卖沙发，一套三千。"),
        ("我们主任姓什么？", "用户在三楼的科室上班。"),
        ("医院的电话是多少？", "用户的两个孩子都在那家医院出生。"),
        ("阿香的生日是哪天？", "阿香2026年5月4日搬去了南宁。"),
        ("How much did the roof cost?", "The user had two skylights put into the roof."),
        ("How much is the coin collection worth?", "The user's coin collection has 900 coins."),
        ("How old is Bella?", "The user's mare Bella lost 20 kilos."),
        ("Where does Yusuf work?", "Yusuf is a baker."),
        ("Where does my aunt live?", "The user's aunt turned 60 on Friday."),
        ("When does Dario leave?", "Dario is moving to Genoa for a job."),
        ("What colour is the shed?", "The user built a shed behind the garage."),
        ("How long have I played the harp?", "The user plays the harp."),
        ("Is Dario married?", "Dario is a glazier."),
        ("Does Leila have children?", "Leila is a surveyor in Leeds."),
        ("What is the name of my gym?", "The user goes to a gym behind the mill."),
        ("Who cuts my hair?", "The user has the hair cut on the first Monday of the month."),
        ("What does Dario do for a living?", "Dario got engaged."),
        ("Which hotel are we in?", "The user's trip is in May 2026."),
        ("What is my blood group?", "The user takes pills for blood pressure."),
        ("阿香在哪里上班？", "阿香迷上了摄影。"),
        ("阿香今年几岁？", "阿香2026年5月4日买了两只鹅。"),
        ("这双鞋多少钱？", "用户2026年5月4日买了两双鞋。"),
        ("我学二胡多久了？", "用户在学二胡。"),
        ("我家大门是什么颜色？", "用户家的大门坏了。"),
        ("阿香结婚了吗？", "阿香是会计。"),
        ("我爷爷叫什么名字？", "用户的爷爷住在乡下。"),
        ("我的血型是什么？", "用户的血压有点高。"),
        ("What is my favourite soup?", "The user has a new saucepan."),
        ("How do I get to work?", "The user works as a cashier."),
        ("我喜欢哪支球队？", "用户收了三个徒弟。"),
        ("我家有几口人？", "用户的手破了两个口子。"),
        ("我们是怎么去黄山的？", "用户爬黄山累得腿发抖。"),
    ],
)
def test_what_has_no_value_of_the_kind_holds_no_answer(question: str, memory: str) -> None:
    assert can_answer(question, memory) is False


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("What do I pay for my parking space?", "The user's parking space is forty pounds a month."),
        ("Who is my physio?", "Physio is Carla at Spire, every Monday at 8."),
        ("Who's our solicitor?", "Priya Shah does the conveyancing."),
        ("Who is my new hairdresser?", "Nadia cuts the user's hair."),
        ("What is my vet's name?", "The vet is Mr Pattinson."),
        ("Who is my accountant?", "Lena does the user's tax return."),
        ("What is my order number?", "The user's order is 44718."),
        ("How much does Ines earn?", "Ines is on 14.20 an hour."),
        ("How old is my uncle?", "The user's uncle is in his fifties."),
        ("How old is my uncle?", "The user's uncle was born in 1961."),
        ("What is my rent?", "The user's rent is 1950 a month."),
        ("我家狗叫什么？", "用户有只狗豆豆。"),
        ("What is the vet's phone number?", "The user's vet is on 020 7946 0331."),
        ("When is Ana's birthday?", "Ana turned nine on 4 May 2026."),
        ("我的车位每月多少钱？", "用户的车位一个月三百五。"),
        ("我家有几辆摩托？", "用户买了第二辆摩托，现在有两辆。"),
        ("我们主任姓什么？", "用户的主任姓顾。"),
        ("医院的电话是多少？", "医院的总机是83320114。"),
        ("阿香的生日是哪天？", "阿香是5月4日生的。"),
        ("How much did the roof cost?", "The user paid 9,400 for the roof."),
        ("How old is Bella?", "The user's mare Bella is nine."),
        ("What is my savings account number?", "The user's savings account is 20-41-07 88123."),
        ("How old was I when I learned to swim?", "The user learned to swim at four."),
        ("Where does Yusuf work?", "Yusuf bakes for a hotel in Hull."),
        ("Where does my aunt live?", "The user's aunt moved to oslo."),
        ("Where do I work?", "The user's employer is Hartwell."),
        ("When does Dario leave?", "Dario is moving to Genoa in May 2026."),
        ("What colour is the shed?", "The user painted the shed green."),
        ("How long have I played the harp?", "The user took up the harp in 2019."),
        ("Is Dario married?", "Dario's wife is a glazier."),
        ("Does Leila have children?", "Leila's son is four."),
        ("What is the name of my gym?", "The user goes to Ironworks."),
        ("Who cuts my hair?", "Nadia cuts the user's hair."),
        ("What does Dario do for a living?", "Dario fixes boilers."),
        ("Which hotel are we in?", "The user stays at the Adlon."),
        ("What is my blood group?", "The user is O negative."),
        ("阿香在哪里上班？", "阿香在邮局上班。"),
        ("阿香今年几岁？", "阿香今年八十二了。"),
        ("我孩子多大？", "用户的孩子才八个月。"),
        ("这双鞋多少钱？", "用户的鞋花了三百五。"),
        ("我学二胡多久了？", "用户学了三年二胡。"),
        ("我家大门是什么颜色？", "用户家的大门是红的。"),
        ("阿香结婚了吗？", "阿香还单身。"),
        ("我爷爷叫什么名字？", "用户的爷爷李大山住在乡下。"),
        ("我的血型是什么？", "用户是AB型血。"),
        ("What is my favourite soup?", "The user is mad about borscht."),
        ("How do I get to work?", "The user takes the tram in the morning."),
        ("我喜欢哪支球队？", "用户是阿森纳的球迷。"),
        ("我家有几口人？", "用户家一共五口人。"),
        ("我们是怎么去黄山的？", "用户坐高铁去了黄山。"),
    ],
)
def test_what_has_such_a_value_may_hold_the_answer(question: str, memory: str) -> None:
    assert can_answer(question, memory) is True


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("Where is my office?", "The user's office is room 214, second floor."),
        ("Where is my locker?", "The user's locker is number 12."),
        ("Where is the archive?", "The archive is the basement."),
        ("Where is our caravan?", "The user's caravan is pitch 31."),
        ("Where does the hammock hang?", "The user's hammock hangs orchard side."),
        ("Where do I work?", "The user works for the council."),
        ("Where does my train leave?", "The user's train is platform 3."),
        ("When do I take the tablets?", "The user takes the tablets with food."),
        ("What does Priya do?", "Priya is on the tills at Lidl."),
        ("How old is the boiler?", "The boiler was fitted in 2009."),
        ("How many children are in the class?", "The class has twenty-eight."),
        ("我的座位在哪里？", "用户的座位是十二排C座。"),
        ("备用钥匙在哪？", "备用钥匙给了对门的李姐。"),
        ("我的蜂箱在哪里？", "用户的蜂箱都摆后山。"),
        ("灭火器在哪儿？", "灭火器挂门后。"),
        ("我什么时候吃药？", "用户的药随餐吃。"),
        ("鸡什么时候下蛋？", "鸡天一亮就下蛋。"),
        ("釉要烧多久？", "釉烧一整夜。"),
    ],
)
def test_what_speaks_of_all_that_is_named_may_answer_in_any_words(question: str, memory: str) -> None:
    assert can_answer(question, memory) is True


def test_where_something_is_may_be_said_without_a_word_for_a_place(api: Api) -> None:
    api.add("kim", "My office is room 214, second floor.", "I teach organic chemistry in Graz.")

    assert "room 214" in api.facts("kim", "Where is my office?")[0]


@pytest.mark.parametrize(
    "question",
    [
        "How much do I like skiing?",
        "What should I bake for his birthday?",
        "How many children do I have?",
        "Where should I stay in Prague?",
        "When did I pass the exam?",
        "我有几个孩子？",
        "孩子过生日做什么菜？",
        "我哪里有伤？",
        "用户叫什么名字？",
    ],
)
def test_other_questions_ask_for_no_value(question: str) -> None:
    assert can_answer(question, "The user keeps geese.") is None


def test_a_search_for_what_nobody_said_of_a_known_person_is_silent(api: Api) -> None:
    api.add("kim", "My colleague Anna is a vet at weekends.")
    api.add("lin", "我弟弟最近迷上了摄影。")

    assert api.facts("kim", "What does Anna do at weekends?")
    assert api.facts("kim", "How old is Anna?") == []
    assert api.facts("kim", "Is Anna married?") == []
    assert api.facts("lin", "我弟弟喜欢什么？")
    assert api.facts("lin", "我弟弟在哪儿上班？") == []
