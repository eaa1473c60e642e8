"""What the documents promise for their examples, through the public API: told in one talk, asked in another."""

from __future__ import annotations

import pytest

from tests.support.api_client import Api, message

USER = "memos_user_123"


def tell(api: Api, *messages: str | dict[str, object], **options: object) -> None:
    """Told the way clients do: accepted at once, refined in the background."""
    talk = [turn if isinstance(turn, dict) else message("user", turn) for turn in messages]
    task = api.data("add/message", {"user_id": USER, "conversation_id": "first", "messages": talk, **options})
    assert api.wait_until_done(task["task_id"]) == "completed"


def everything(api: Api, query: str, **options: object) -> str:
    answer = api.search(USER, query, conversation_id="second", **options)
    facts = [item["memory_value"] for item in answer["memory_detail_list"]]
    return "\n".join(facts + [item["preference"] for item in answer["preference_detail_list"]])


def test_the_dog_that_eats_no_chicken_is_known_when_its_food_is_to_be_changed(api: Api) -> None:
    tell(
        api,
        "I have a three-month-old Golden Retriever. Which dog food is better?"
        " By the way, it doesn't eat chicken flavor.",
        message("assistant", "A lamb puppy food would suit it."),
        "I'll buy the lamb puppy food.",
    )

    known = everything(api, "The dog has diarrhea eating this dog food. I want to change to another one.")

    assert "The user has a three-month-old Golden Retriever." in known
    assert "The user's Golden Retriever does not eat chicken flavor." in known
    assert "lamb" in known


def test_the_chip_of_the_laptop_is_known_when_the_proxy_must_be_installed_again(api: Api) -> None:
    tell(
        api,
        "My computer is a MacBook Pro 13-inch with an Intel chip. How do I install the company intranet proxy?",
        message("assistant", "Download the Intel package from the intranet and run it."),
    )

    facts = api.facts(USER, "The intranet proxy won't open. Which version should I reinstall on my computer?")

    assert any("MacBook Pro 13-inch with an Intel chip" in fact for fact in facts[:3])


def test_the_budget_for_software_is_the_one_that_was_told_last(api: Api) -> None:
    tell(
        api,
        message(
            "user", "The budget for office software is 800 yuan per person.", chat_time="2025-03-01 09:00:00"
        ),
    )
    tell(
        api,
        message(
            "user",
            "The budget for office software is 600 yuan per person now.",
            chat_time="2025-06-01 09:00:00",
        ),
    )

    facts = api.facts(USER, "What is the budget for office software?")

    assert "600 yuan" in facts[0]
    assert "800 yuan" not in everything(api, "What is the budget for office software?", relativity=0)


def test_the_seat_is_the_one_that_is_preferred_now(api: Api) -> None:
    tell(api, message("user", "I like window seats when I fly.", chat_time="2025-03-01 09:00:00"))
    tell(api, message("user", "I prefer aisle seats now.", chat_time="2025-06-01 09:00:00"))

    preferences = api.preferences(USER, "Which seat should be booked?")

    assert "aisle" in preferences[0]
    assert "window" not in everything(api, "Which seat should be booked?", relativity=0)


def test_the_picked_ice_cream_is_a_taste_that_may_be_used(api: Api) -> None:
    tell(
        api,
        "Can you recommend some ice cream flavors?",
        message("assistant", "You can try vanilla, chocolate, strawberry or mango."),
        "I'll have the mango, please.",
    )

    (hint,) = api.search(USER, "Which ice cream should I order?")["preference_detail_list"]

    assert hint["preference_type"] == "implicit_preference"
    assert "mango" in hint["preference"]
    assert "chose mango over vanilla" in hint["reasoning"]


def test_a_heavy_dish_is_known_beside_the_liking_for_spice(api: Api) -> None:
    tell(
        api,
        message("user", "I like spicy food.", chat_time="2025-09-12 08:00:00"),
        message("assistant", "I have noted that you like spicy flavors.", chat_time="2025-09-12 08:01:00"),
        message("user", "I do not like heavy oil.", chat_time="2025-09-25 12:00:00"),
        message(
            "assistant",
            "Got it. You prefer spicy food with a lighter taste.",
            chat_time="2025-09-25 12:01:00",
        ),
    )

    preferences = api.preferences(USER, "What food does the user like?", relativity=0)

    assert preferences[0] == "The user likes spicy food."
    assert {"The user likes spicy food.", "The user does not like heavy oil."} <= set(preferences)


def test_the_weather_carries_the_callers_tags(api: Api) -> None:
    tell(
        api,
        message("user", "How is the weather today?", chat_time="2025-12-10 14:00:00"),
        message(
            "assistant",
            "Shanghai, December 10th, cloudy, temperature 8-12 degrees.",
            chat_time="2025-12-10 14:00:10",
        ),
        tags=["Weather", "Cloudy"],
    )

    (fact,) = api.search(USER, "Shanghai Weather")["memory_detail_list"]

    assert {"Weather", "Cloudy"} <= set(fact["tags"])
    assert fact["memory_type"] == "WorkingMemory"


def test_sore_knees_are_found_by_the_callers_tag(api: Api) -> None:
    tell(
        api,
        "I ran 5 kilometers today and my knee feels a bit sore.",
        message("assistant", "I suggest lowering the intensity tomorrow."),
        tags=["exercise advice", "fitness planning"],
        agent_id="health_assistant",
    )

    wanted = {"and": [{"tags": "fitness planning"}]}
    facts = api.facts(USER, "How was the training?", filter=wanted, relativity=0)

    assert any("knee feels a bit sore" in fact for fact in facts)


def test_plans_for_the_weekend_and_the_form_of_reminders_are_known(api: Api) -> None:
    tell(
        api,
        message(
            "user",
            "Take the kids to the zoo on Saturday, please remember it.",
            chat_time="2025-06-10 09:00:00",
        ),
        message(
            "user",
            "For future reminders or plans, please first list three key points, then add one short suggestion.",
        ),
    )

    known = everything(api, "What plans do I have for the weekend?")

    assert "zoo on Saturday (14 June 2025)" in known
    assert "three key points" in known


def test_the_writing_assistant_knows_the_department_and_the_style(api: Api) -> None:
    tell(
        api,
        "I work in the marketing department at an internet company."
        " Keep the tone light when writing emails, and start with 'Dear XX'.",
        "When writing summaries, I prefer to list three bullet points first.",
    )

    known = everything(api, "Help me write a notification email for a team dinner", relativity=0)

    for phrase in ("marketing department", "keep the tone light", "three bullet points"):
        assert phrase in known


def test_behaviour_tells_the_risk_that_somebody_takes(api: Api) -> None:
    tell(api, "Clicked 'Retirement Finance' ad to enter app", "Browsed and bookmarked low-risk funds")

    preferences = api.preferences(USER, "What is my risk preference?")

    assert preferences[0] == "The user may prefer low-risk options."
    assert "The user may be interested in Retirement Finance." in preferences


def test_a_questionnaire_is_known_point_by_point(api: Api) -> None:
    tell(
        api,
        "Favorite movie genres: sci-fi, action, comedy\nPreferred chat style: humorous, warm, casual\n"
        "What I want AI to help with: daily study planning",
    )

    preferences = api.preferences(USER, "Which movie genres does the user like?")

    assert preferences[0] == "The user's favorite movie genres: sci-fi, action, comedy."


def test_another_persons_home_is_not_the_users(api: Api) -> None:
    tell(api, "I live in Lisbon.", "My sister lives in Rome.")

    facts = api.facts(USER, "Where do I live now?")

    assert facts[0] == "The user lives in Lisbon."


@pytest.mark.parametrize("text", ["Hi there!", "Thanks a lot, that's great!", "lol ok bye"])
def test_small_talk_leaves_no_memory(api: Api, text: str) -> None:
    tell(api, text)

    assert api.listed(USER)["memory_detail_list"] == []


def test_first_the_home_that_is_sought_then_its_renovation(api: Api) -> None:
    tell(
        api,
        message(
            "user",
            "Help me check the average second-hand home price around Binjiang.",
            chat_time="2025-09-11 09:00:00",
        ),
        message("user", "Remind me to view houses on Saturday.", chat_time="2025-09-11 09:05:00"),
        message("user", "Record the latest mortgage rate changes.", chat_time="2025-09-11 09:10:00"),
    )
    tell(
        api,
        message("user", "I'm going to look at tiles this weekend.", chat_time="2025-11-20 09:00:00"),
        message(
            "user",
            "Remind me to confirm plumbing and electrical work with the contractor.",
            chat_time="2025-11-20 09:05:00",
        ),
        message("user", "Note next week's furniture delivery time.", chat_time="2025-11-20 09:10:00"),
    )

    homes = api.facts(USER, "When do I want to view houses?")
    works = api.facts(USER, "What must be confirmed with the contractor?")

    assert homes[0] == "The user wants to be reminded to view houses on Saturday (13 September 2025)."
    assert "plumbing and electrical work with the contractor" in works[0]
    known = [item["memory_value"] for item in api.listed(USER)["memory_detail_list"]]
    assert "The user wants to keep a note of the latest mortgage rate changes." in known
    assert any("tiles this weekend (the weekend of 22 November 2025)" in fact for fact in known)
    assert any("next week's (the week of 24 November 2025) furniture delivery time" in fact for fact in known)


def test_what_a_student_confuses_grows_with_what_is_told(api: Api) -> None:
    tell(api, "I always confuse quadratic functions with linear functions.")
    tell(api, "I also struggle with exponential functions.")

    facts = "\n".join(api.facts(USER, "Which functions does the student confuse?"))

    assert "confuses quadratic functions with linear functions" in facts
    assert "exponential functions" in facts


def test_a_name_and_a_taste_in_one_breath(api: Api) -> None:
    tell(api, "I am Wang, and I like spicy food.")

    assert api.facts(USER, "What is the user's name?")[0] == "The user's name is Wang."
    assert api.preferences(USER, "What food does the user like?")[0] == "The user likes spicy food."


def test_a_memory_gets_tags_of_its_own_beside_the_callers(api: Api) -> None:
    tell(
        api,
        message("user", "How is the weather today?", chat_time="2025-12-10 14:00:00"),
        message(
            "assistant",
            "Shanghai, December 10th, cloudy, temperature 8-12 degrees.",
            chat_time="2025-12-10 14:00:10",
        ),
        tags=["Weather", "Cloudy"],
    )

    (fact,) = api.search(USER, "Shanghai Weather")["memory_detail_list"]

    assert {"weather", "cloudy", "temperature"} <= {tag.lower() for tag in fact["tags"]}


def test_the_cheap_hotel_is_told_as_a_taste_for_what_costs_less(api: Api) -> None:
    tell(
        api,
        "I have booked a summer trip to Guangzhou. Which hotel chains are available?",
        message("assistant", "You can consider:\n- 7 Days Inn (budget)\n- Ji Hotel\n- Hilton (luxury)"),
        "I will choose 7 Days Inn.",
    )

    hints = api.preferences(USER, "Which hotels does the user prefer?")

    assert any("lower-priced hotel chains" in hint for hint in hints)


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("Please remember that the meeting is on Wednesday.", "The meeting is on Wednesday (17 September"),
        ("Please note that the office closes at 6 pm.", "The office closes at 6 pm."),
    ],
)
def test_what_is_to_be_remembered_is_told_without_the_order(api: Api, sentence: str, kept: str) -> None:
    tell(api, message("user", sentence, chat_time="2025-09-11 09:00:00"))

    (fact,) = api.listed(USER)["memory_detail_list"]

    assert fact["memory_value"].startswith(kept)
