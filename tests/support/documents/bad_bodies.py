"""Bodies that must be refused: endpoint, what is wrong with the field, the code, the word the sentence has."""

from __future__ import annotations

from typing import Any

Case = tuple[str, dict[str, Any], int, str]

LONG = "x" * 101
SAID = [{"role": "user", "content": "I like tea."}]
MISSING: Any = object()
TEMPLATE = "tpl_01a200492bd57576b2f7fa605cacbc71"

# A body that each endpoint accepts, to spoil one field at a time.
GOOD: dict[str, dict[str, Any]] = {
    "add/message": {"user_id": "kim", "conversation_id": "talk", "messages": SAID},
    "add/feedback": {"user_id": "kim", "conversation_id": "talk", "feedback_content": "I prefer tea."},
    "get/status": {"task_id": "01a20049-2bd5-7576-b2f7-fa605cacbc71"},
    "search/memory": {"user_id": "kim", "query": "tea"},
    "chat": {"user_id": "kim", "conversation_id": "talk", "query": "tea"},
    "get/memory": {"user_id": "kim"},
    "get/message": {"user_id": "kim", "conversation_id": "talk"},
    "delete/memory": {"user_id": "kim"},
    "update/memory": {"memory_id": "01a20049-2bd5-7576-b2f7-fa605cacbc71", "content": "The user likes tea."},
    "extract/memory": {"messages": SAID},
    "rerank": {"query": "tea", "documents": ["The user likes tea."]},
    "add/profile_template": {"name": "Customer", "metadata": {"Basic": {"City": {"value": ""}}}},
    "update/profile_template": {"profile_template_id": TEMPLATE, "name": "Customer"},
    "delete/profile_template": {"profile_template_id": TEMPLATE},
    "bind/profile_template": {"bind_list": [{"user_id": "kim", "profile_template_id": TEMPLATE}]},
    "edit/profile": {"user_id": "kim", "profile_template_id": TEMPLATE, "remove_fields": ["Basic"]},
    "delete/profile": {"user_id": "kim", "profile_template_id": TEMPLATE},
}
NO_USER = {
    "get/status",
    "update/memory",
    "extract/memory",
    "rerank",
    "add/profile_template",
    "update/profile_template",
    "delete/profile_template",
    "bind/profile_template",
}
OF_A_USER = [path for path in GOOD if path not in NO_USER]
NOT_TEXT: list[Any] = [5, 1.5, True, {}]
NOT_FLAGS: list[Any] = ["true", 1, 0, [], {}, "yes", ""]
NOT_WHOLE: list[Any] = ["six", "6.5", 1.5, True, [], {}, "", "٦", "-1", 10**30]
EMPTY: list[Any] = ["", " ", "\t\n", "\u3000"]


def spoiled(path: str, **fields: Any) -> dict[str, Any]:
    body = {**GOOD[path], **fields}
    return {name: value for name, value in body.items() if value is not MISSING}


def every(path: str, field: str, values: list[Any], code: int, word: str = "") -> list[Case]:
    return [(path, spoiled(path, **{field: value}), code, word or field) for value in values]


def ids() -> list[Case]:
    cases: list[Case] = []
    for path in OF_A_USER:
        cases += every(path, "user_id", NOT_TEXT, 40000)
        cases += every(path, "user_id", [None, MISSING, *EMPTY], 40002)
        cases += every(path, "user_id", [LONG, "😀" * 101], 40010)
        cases += every(path, "agent_id", [5, True, {}], 40000)
        cases += every(path, "agent_id", [LONG], 40010)
    for path in ("search/memory", "chat", "get/memory", "get/message", "delete/memory", "add/feedback"):
        cases += every(path, "user_id", [["kim"], []], 40000)
    for path in ("add/message", "add/feedback", "get/message", "search/memory", "chat"):
        cases += every(path, "conversation_id", [*NOT_TEXT, []], 40000)
        cases += every(path, "conversation_id", EMPTY, 40002)
        cases += every(path, "conversation_id", [LONG], 40011)
    for path in ("get/message", "chat"):
        cases += every(path, "conversation_id", [None, MISSING], 40002)
    cases += every("add/message", "user_id", [[["kim"]], ["kim", 5], ["kim", None], ["u"] * 21], 40000)
    cases += every("add/message", "user_id", [["kim", ""]], 40002)
    cases += every("add/message", "user_id", [[]], 40003)
    cases += every("add/message", "user_id", [["kim", LONG]], 40010)
    for path in ("add/message", "add/feedback", "search/memory", "chat"):
        cases += every(path, "app_id", [5, [], {}, True, LONG], 40000)
    return cases


def said(*second: Any) -> list[Any]:
    """Conversations whose second message is one of these."""
    return [[{"role": "user", "content": "Hi"}, message] for message in second]


def said_with(field: str, *values: Any, **rest: Any) -> list[Any]:
    return said(*({"role": "user", "content": "Hi", **rest, field: value} for value in values))


def parts(*bad: Any) -> list[Any]:
    return said_with("content", *([part] for part in bad))


def messages() -> list[Case]:
    def refused(values: list[Any], code: int, word: str = "messages") -> list[Case]:
        return every("add/message", "messages", values, code, word)

    half_parts = [{"type": "image_url", "image_url": "x"}, {"type": "file", "file": {}}, {"type": "text"}]
    return [
        *refused([MISSING, None], 40002),
        *refused([[]], 40003),
        *refused(["Hi", {}, 5, True], 40000),
        *refused(said(None, "Hi", [], 5), 40000),
        *refused(said({}, {"content": "Hi"}), 40002, "[1].role"),
        *refused(said_with("role", None, "", " "), 40002, "[1].role"),
        *refused(said_with("role", "boss", "User", 5, [], True), 40000, "[1].role"),
        *refused(said({"role": "user"}), 40002, "messages[1].content"),
        *refused(said_with("content", None, "", " ", []), 40002, "[1].content"),
        *refused(said_with("content", 5, {}, True), 40000, "[1].content"),
        *refused(parts("Hi", {}, {"type": 5}, {"type": "text", "text": 5}, *half_parts), 40000, "part 0"),
        *refused(parts({"type": "video", "video": "x"}), 40006, "video"),
        *refused(said_with("tool_calls", [], role="assistant", content=None), 40002, "[1].content"),
        *refused(said_with("tool_calls", "x", {}, [{}], ["x"], role="assistant"), 40000, "tool_calls"),
        *refused(said_with("tool_call_id", 5, [], "x" * 201, role="tool"), 40000, "tool_call_id"),
        *refused(said_with("role_name", 5, [], LONG), 40000, "role_name"),
        *refused(said_with("chat_time", [], {}, True), 40000, "chat_time"),
        *refused([SAID * 501], 40013, "501"),
    ]


def switches() -> list[Case]:
    return [
        *every("add/message", "allow_public", NOT_FLAGS, 40000),
        *every("add/message", "async_mode", NOT_FLAGS, 40000),
        *every("add/feedback", "allow_public", NOT_FLAGS, 40000),
        *every("search/memory", "include_preference", NOT_FLAGS, 40000),
        *every("search/memory", "include_tool_memory", NOT_FLAGS, 40000),
        *every("search/memory", "include_skill", NOT_FLAGS, 40000),
        *every("get/memory", "include_preference", NOT_FLAGS, 40000),
        *every("get/memory", "include_tool_memory", NOT_FLAGS, 40000),
    ]


def numbers() -> list[Case]:
    cases: list[Case] = []
    for kind in ("memory", "preference", "tool_memory", "skill"):
        cases += every("search/memory", f"{kind}_limit_number", [*NOT_WHOLE, -1, 26], 40000)
    cases += every("get/message", "message_limit_number", [*NOT_WHOLE, 0, -1, 51], 40000)
    cases += every("get/memory", "page", [*NOT_WHOLE, 0, -1, 100_001, 10_001], 40000)
    cases += every("get/memory", "current", [*NOT_WHOLE, 0], 40000)
    cases += every("get/memory", "size", [*NOT_WHOLE, 0, 51], 40000)
    cases += every("search/memory", "relativity", ["much", "", "nan", "inf", True, [], {}], 40000)
    cases += every("search/memory", "relativity", [-0.1, 1.01, 2, "1.5", 10**400 // 10**2], 40012)
    return cases


def texts_and_lists() -> list[Case]:
    cases: list[Case] = []
    for path, field in (
        ("search/memory", "query"),
        ("add/feedback", "feedback_content"),
        ("get/status", "task_id"),
    ):
        cases += every(path, field, [*NOT_TEXT, []], 40000)
        cases += every(path, field, [MISSING, None, *EMPTY], 40002)
    cases += every("add/feedback", "feedback_time", [[], {}, True], 40000)
    cases += every("add/message", "tags", ["tea", 5, {}, [5], [None], [LONG], ["t"] * 101], 40000)
    cases += every("add/message", "tags", [[""]], 40002)
    cases += every("add/message", "info", ["tea", 5, [], True, {"long": "x" * 16_001}], 40000)
    for path, field in (
        ("add/message", "allow_knowledgebase_ids"),
        ("add/feedback", "allow_knowledgebase_ids"),
        ("search/memory", "knowledgebase_ids"),
        ("chat", "knowledgebase_ids"),
        ("chat", "allow_knowledgebase_ids"),
    ):
        cases += every(path, field, ["base", 5, {}, [5], [None], [LONG]], 40000)
        cases += every(path, field, [["base-of-nobody"]], 50123, "base-of-nobody")
    for path in ("search/memory", "chat", "get/memory"):
        cases += every(path, "filter", ["x", 5, [], True], 40000)
    return cases


def chats() -> list[Case]:
    path = "chat"
    flags = ("stream", "include_preference", "include_tool_memory", "add_message_on_answer", "allow_public")
    return [
        *every(path, "query", [*NOT_TEXT, []], 40000),
        *every(path, "query", [MISSING, None, *EMPTY], 40002),
        *[case for flag in flags for case in every(path, flag, NOT_FLAGS, 40000)],
        *every(path, "model_name", [5, [], {}, "gpt-4", "Qwen3-32b"], 40000),
        *every(path, "system_prompt", [*NOT_TEXT, []], 40000),
        *every(path, "max_tokens", [*NOT_WHOLE, 0, -1], 40000),
        *every(path, "max_tokens", [32_769, 2**31], 40302),
        *every(path, "temperature", ["warm", "", "nan", True, [], {}, -0.1, 2.1, "3"], 40000),
        *every(path, "top_p", ["much", "", "inf", True, [], {}, -0.1, 1.1, 10**300], 40000),
        *every(path, "memory_limit_number", [*NOT_WHOLE, -1, 26], 40000),
        *every(path, "preference_limit_number", [*NOT_WHOLE, -1, 26], 40000),
        *every(path, "relativity", ["much", True, []], 40000),
        *every(path, "relativity", [-0.1, 1.01], 40012),
        *every(path, "tags", ["tea", 5, [5], [LONG]], 40000),
        *every(path, "info", ["tea", 5, [], {"long": "x" * 16_001}], 40000),
    ]


def updates() -> list[Case]:
    path = "update/memory"
    unknown = GOOD[path]["memory_id"]
    return [
        *every(path, "memory_id", [*NOT_TEXT, [], "x" * 201], 40000),
        *every(path, "memory_id", [MISSING, None, *EMPTY], 40002),
        *[
            (path, spoiled(path, memory_id=memory_id), 40001, memory_id)
            for memory_id in ("x", "' OR 1=1 --", unknown)
        ],
        *every(path, "content", [*NOT_TEXT, ["x"], "x" * 20_001], 40000),
        *every(path, "content", [MISSING, None, *EMPTY], 40002),
        *every(path, "title", [*NOT_TEXT, ["x"], "x" * 501], 40000),
        *every(path, "title", EMPTY, 40002),
        *every(path, "status", [*NOT_TEXT, ["x"], "frozen", "merged", "Archived", "deleted"], 40000),
        *every(path, "status", EMPTY, 40002),
        *every(path, "tags", ["tea", 5, [5], [None], [LONG], ["t"] * 101], 40000),
        *every(path, "tags", [[""]], 40002),
        *every(path, "info", ["tea", 5, ["x"], True, {"long": "x" * 16_001}], 40000),
        (path, {"memory_id": unknown, "tags": [], "info": {}, "title": None}, 40002, "content"),
    ]


def engines() -> list[Case]:
    return [
        *every("extract/memory", "messages", [MISSING, None], 40002),
        *every("extract/memory", "messages", [[]], 40003),
        *every("extract/memory", "messages", ["Hi", 5, {}, *said({"role": "boss", "content": "Hi"})], 40000),
        *every("extract/memory", "extraction_types", ["memory", 5, [5], {}], 40000),
        *every("extract/memory", "extraction_types", [["skill"], ["memory", "x"]], 40006),
        *every("rerank", "query", [*NOT_TEXT, []], 40000),
        *every("rerank", "query", [MISSING, None, *EMPTY], 40002),
        *every("rerank", "documents", ["tea", 5, {}, [5], [None], ["t"] * 101, ["x" * 8_001]], 40000),
        *every("rerank", "documents", [MISSING, None, [""]], 40002),
        *every("rerank", "documents", [[]], 40003),
        *every("rerank", "model", ["gpt"], 40006),
        *every("rerank", "model", [5, [], {}], 40000),
        *every("rerank", "top_n", [*NOT_WHOLE, 0, -1, 101], 40000),
    ]


def deletions() -> list[Case]:
    path = "delete/memory"

    def body(**fields: Any) -> dict[str, Any]:
        return spoiled(path, **{"user_id": MISSING, **fields})

    return [
        (path, body(), 40002, "memory_ids"),
        (path, body(memory_ids=None, user_id=None), 40002, "memory_ids"),
        (path, body(user_ids=["kim"]), 40002, "memory_ids"),
        (path, body(filter={}), 40002, "memory_ids"),
        (path, body(memory_ids=[]), 40003, "memory_ids"),
        (path, body(filter={"and": []}), 40003, "filter"),
        (path, body(filter={"user": {"and": []}}), 40003, "filter"),
        *[
            (path, body(memory_ids=memory_ids), 40000, "memory_ids")
            for memory_ids in ("x", 5, {}, [5], [None], ["x"] * 1001)
        ],
        (path, body(memory_ids=[""]), 40002, "memory_ids"),
        *[
            (path, body(memory_ids=[memory_id]), 40307, "")
            for memory_id in ("x", "01a20049-2bd5-7576-b2f7-fa605cacbc71")
        ],
        (path, body(memory_ids=["x"], user_id="kim"), 40000, "memory_ids"),
        (path, body(user_id="kim", agent_id="bot"), 40000, "agent_id"),
        (path, body(user_id="kim", filter={"and": [{"scene": "x"}]}), 40000, "filter"),
        (path, body(memory_ids=["x"], memory_type="preference"), 40000, "memory_type"),
        (path, body(user_id="kim", memory_type="everything"), 40006, "memory_type"),
        (path, body(user_id="nobody"), 40308, "nobody"),
        (path, body(agent_id="nobody"), 40308, "nobody"),
        (path, body(user_id="nobody", memory_type="preference"), 40308, "nobody"),
    ]


def trees() -> list[tuple[Any, int, str]]:
    """Trees of fields, with the code and the word of their refusal."""
    leaf = {"value": "x"}
    deep: Any = leaf
    for _ in range(50):
        deep = {"A": deep}
    return [
        *[(tree, 40000, "metadata") for tree in ("x", 5, [], True)],
        *[({"A": field}, 40000, "A: must be an object") for field in ("x", 5, [], True, None)],
        ({"A": {}}, 40003, "A"),
        ({"A": {"B": {"C": {}}}}, 40003, "A.B.C"),
        ({"A": {"B": {"C": {"D": leaf}}}}, 40000, "A.B.C: at most 3 levels"),
        (deep, 40000, "at most 3 levels"),
        ({"A": {str(number): leaf for number in range(101)}}, 40000, "at most 100"),
        ({"": leaf}, 40002, "name"),
        ({"A": {" ": leaf}}, 40002, "A"),
        ({LONG: leaf}, 40000, "names"),
        ({"A.B": leaf}, 40000, "dots"),
        *[
            ({"A": {"value": value}}, 40000, "A.value")
            for value in ({}, [5], [None], ["x"] * 51, "x" * 2_001)
        ],
        *[
            ({"A": {"algorithm_updatable": flag}}, 40000, "A.algorithm_updatable")
            for flag in ("true", 1, [], {})
        ],
        ({"A": {"value": "x", "B": leaf}}, 40000, "A: "),
    ]


def profiles() -> list[Case]:
    key = GOOD["edit/profile"]["profile_template_id"]
    bind, edit = "bind/profile_template", "edit/profile"
    whose = {"user_id": "kim", "profile_template_id": key}
    cases: list[Case] = []
    for path in ("update/profile_template", "delete/profile_template", edit, "delete/profile"):
        cases += every(path, "profile_template_id", [*NOT_TEXT, [], LONG], 40000)
        cases += every(path, "profile_template_id", [MISSING, None, *EMPTY], 40002)
        cases += [
            (path, spoiled(path, profile_template_id=template_id), 40001, template_id)
            for template_id in (key, "x", "' OR 1=1 --")
        ]
    for path in (edit, "delete/profile"):
        cases += every(path, "agent_id", ["bot"], 40000)
    for path in ("add/profile_template", "update/profile_template"):
        cases += every(path, "name", [*NOT_TEXT, [], LONG], 40000)
        cases += every(path, "name", EMPTY, 40002)
    for path in ("add/profile_template", "update/profile_template", edit):
        cases += [(path, spoiled(path, metadata=tree), code, word) for tree, code, word in trees()]
    return [
        *cases,
        *every("add/profile_template", "name", [MISSING, None], 40002),
        *every("add/profile_template", "metadata", [MISSING, None], 40002),
        *every("add/profile_template", "metadata", [{}], 40003),
        *every("update/profile_template", "name", [MISSING, None], 40002),
        *every(edit, "remove_fields", ["x", 5, {}, [5], [None], ["x" * 304], ["x"] * 101], 40000),
        *every(edit, "remove_fields", [[""]], 40002),
        *every(edit, "remove_fields", [MISSING, None, []], 40002, "metadata or remove_fields"),
        *every(bind, "bind_list", ["x", 5, {}, [5], [None], [[]], [whose] * 21], 40000),
        *every(bind, "bind_list", [MISSING, None], 40002),
        *every(bind, "bind_list", [[]], 40003),
        *every(bind, "bind_list", [[{**whose, "agent_id": "bot"}]], 40000, "[0]"),
        *every(bind, "bind_list", [[{"profile_template_id": key}], [{"user_id": "kim"}]], 40002, "[0]"),
        *every(bind, "bind_list", [[{**whose, "user_id": LONG}]], 40010, "[0].user_id"),
        *every(bind, "bind_list", [[whose]], 40001, key),
    ]


CASES: list[Case] = [
    *ids(),
    *messages(),
    *switches(),
    *numbers(),
    *texts_and_lists(),
    *deletions(),
    *updates(),
    *chats(),
    *engines(),
    *profiles(),
]
