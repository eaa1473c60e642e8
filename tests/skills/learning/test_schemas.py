"""A space's own SKILL.md files as schemas that the rules fill: names, folders, headings, in both languages."""

from __future__ import annotations

from datetime import date
from uuid import uuid4

import pytest

from skills.learning.lesson import LessonContent
from skills.learning.rules.write import write_by_rules
from skills.learning.workspace.workspace import Workspace, WorkspaceSkill
from skills.packages.skill_md import parse_skill_md
from skills.spaces.defaults import load_default_skills
from skills.values import LessonKind
from tests.support.skills.schemas import SOCIAL

DAY = date(2026, 3, 2)
PROJECTS = """---
name: project-notes
description: What is known of each project that the user works on.
---
# Project notes
Keep the state of every project that comes up.
## Files
One note per project at `projects/[project-name].md`.
## Sections
Each file has these sections:
### Overview
What the project is, its stack, its owner.
### Decisions
What was decided.
### Next steps
Deadlines and to-dos.
"""
PEOPLE_ZH = """---
name: 人物档案
description: 记录用户提到的同事和朋友。
---
# 人物档案
## 文件命名
每人一个文件：`people/[姓名].md`
## 内容格式
```markdown
# 姓名

## 基本信息
职位、公司

## 喜好

## 备注
```
"""
CUSTOMERS_ZH = """---
name: 客户档案
description: 记录每个客户的情况和需求。
---
# 客户档案
## 文件结构
每个客户一个文件：`customers/[客户名称].md`
## 格式
每个文件包含“基本信息”、“需求”和“备注”三个部分。
"""
FOOD = """---
name: food-diary
description: What the user eats, drinks, cooks and cannot stand.
---
## Structure
- `[category].md`: one page for each category.

Categories: likes, dislikes, allergies, recipes
"""
STANDUP = """---
name: standup
description: Finished tasks and blockers of each day, for the stand-up.
---
## Files
`standup/yyyy-mm-dd.md`
## Format
## Done
## Blocked
"""
ALICE = {"text": "Alice Chen is the lead designer at Northwind.", "subject": "Alice Chen"}
BOB = {"text": "Bob Martinez is allergic to peanuts.", "subject": "Bob Martinez"}


def space(*schemas: str) -> Workspace:
    texts = [*load_default_skills(), *schemas]
    skills = [(parse_skill_md(text), text) for text in texts]
    return Workspace.of(
        [
            WorkspaceSkill(skill.name, skill.description, {"SKILL.md": text}, uuid4(), 1)
            for skill, text in skills
        ]
    )


def learn(workspace: Workspace, *facts: dict[str, str], day: date = DAY, goal: str = "") -> list[str]:
    """What was left out."""
    lesson = LessonContent(uuid4(), LessonKind.FACTS, {"task_goal": goal, "facts": list(facts)}, day)
    left_out: list[str] = write_by_rules([lesson], workspace)[lesson.pk]["left_out"]
    return left_out


def pages(workspace: Workspace, skill: str) -> dict[str, str]:
    files = workspace.skills[skill].files
    return {path: text or "" for path, text in files.items() if path != "SKILL.md"}


def test_one_file_for_each_person_with_just_the_schemas_headings() -> None:
    known = space(SOCIAL)
    written = {"text": "Alice prefers feedback in writing.", "subject": "Alice"}
    learn(known, ALICE, BOB, written, {"text": "The user lives in Porto.", "subject": "user"})

    assert pages(known, "social-contacts") == {
        "alice-chen.md": "# Alice Chen\n\n"
        "## Basics\n\n- Alice Chen is the lead designer at Northwind. (2026-03-02)\n\n"
        "## Notes\n\n- Alice prefers feedback in writing. (2026-03-02)\n",
        "bob-martinez.md": "# Bob Martinez\n\n"
        "## Basics\n\n"
        "## Notes\n\n- Bob Martinez is allergic to peanuts. (2026-03-02)\n",
    }
    general = "".join(pages(known, "user-general-facts").values())
    assert "Porto" in general
    assert "Alice" not in general


def test_a_later_session_edits_the_file_of_a_person_who_is_known() -> None:
    known = space(SOCIAL)
    learn(known, ALICE)
    learn(
        known,
        {"text": "Alice Chen is now head of design at Contoso.", "subject": "Alice Chen"},
        {"text": "Alice has two daughters.", "subject": "Alice"},
        day=date(2026, 4, 1),
    )

    (page,) = pages(known, "social-contacts").values()
    assert "Northwind" not in page
    assert "## Basics\n\n- Alice Chen is now head of design at Contoso. (2026-04-01)" in page
    assert page.count("(2026-04-01)") == 2


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("[first-last].md", "alice-chen.md"),
        ("[last-first].md", "chen-alice.md"),
        ("[last_first].md", "chen_alice.md"),
        ("people/[name].md", "people/alice-chen.md"),
        ("contacts/[first].md", "contacts/alice.md"),
        ("{name}.md", "alice-chen.md"),
        ("<full name>-profile.md", "alice-chen-profile.md"),
        ("[yyyy]/[name].md", "2026/alice-chen.md"),
    ],
)
def test_another_pattern_gives_other_names(pattern: str, path: str) -> None:
    known = space(SOCIAL.replace("[first-last].md", pattern))
    learn(known, ALICE)
    assert list(pages(known, "social-contacts")) == [path]


def test_other_headings_are_chosen_by_what_they_mean() -> None:
    known = space(PROJECTS)
    learn(
        known,
        {"text": "Project Aurora uses Postgres and Django.", "subject": "Project Aurora"},
        {"text": "The deadline of the Aurora project is 5 May.", "subject": "Aurora"},
        {"text": "The team decided to drop the mobile client of Aurora.", "subject": "Aurora"},
    )
    assert pages(known, "project-notes") == {
        "projects/project-aurora.md": "# Project Aurora\n\n"
        "## Overview\n\n- Project Aurora uses Postgres and Django. (2026-03-02)\n\n"
        "## Decisions\n\n- The team decided to drop the mobile client of Aurora. (2026-03-02)\n\n"
        "## Next steps\n\n- The deadline of the Aurora project is 5 May. (2026-03-02)\n"
    }


def test_chinese_schemas_are_filled_too() -> None:
    known = space(PEOPLE_ZH, CUSTOMERS_ZH)
    learn(
        known,
        {"text": "王小明是腾讯的产品经理。", "subject": "王小明"},
        {"text": "王小明喜欢喝手冲咖啡。", "subject": "王小明"},
        {"text": "用户的同事李雷负责测试。", "subject": "user"},
        {"text": "星海科技是一家物流客户。", "subject": "星海科技"},
        {"text": "星海科技需要按月开票。", "subject": "星海科技"},
    )
    people = pages(known, "人物档案")
    assert people.keys() == {"people/王小明.md", "people/李雷.md"}
    assert "## 基本信息\n\n- 王小明是腾讯的产品经理。 (2026-03-02)" in people["people/王小明.md"]
    assert "## 喜好\n\n- 王小明喜欢喝手冲咖啡。 (2026-03-02)" in people["people/王小明.md"]
    customers = pages(known, "客户档案")
    assert list(customers) == ["customers/星海科技.md"]
    assert "## 需求\n\n- 星海科技需要按月开票。 (2026-03-02)" in customers["customers/星海科技.md"]


def test_categories_that_a_schema_lists_are_the_only_names_there() -> None:
    known = space(FOOD)
    left_out = learn(
        known,
        {"text": "The user is allergic to peanuts.", "subject": "user"},
        {"text": "The user hates cilantro.", "subject": "user"},
        {"text": "The user makes miso soup with tofu and seaweed.", "subject": "user"},
        {"text": "The user works as a nurse.", "subject": "user"},
    )
    assert pages(known, "food-diary").keys() <= {"likes.md", "dislikes.md", "allergies.md", "recipes.md"}
    assert "peanuts" in pages(known, "food-diary")["allergies.md"]
    assert not left_out
    assert "nurse" in "".join(pages(known, "user-general-facts").values())


def test_a_log_with_headings_of_its_own_gets_finished_tasks_below_them() -> None:
    known = space(STANDUP)
    done = {
        "task_goal": "Renew the certificate",
        "approach": "Ordered and installed it.",
        "generalizable_pattern": "Renew early.",
    }
    broken = {
        "task_goal": "Move the mailbox",
        "failure_point": "The import stopped.",
        "prevention_principle": "Test the import first.",
    }
    lessons = [
        LessonContent(uuid4(), LessonKind.SUCCESS, done, DAY),
        LessonContent(uuid4(), LessonKind.FAILURE, broken, DAY),
    ]
    write_by_rules(lessons, known)

    assert pages(known, "standup") == {
        "standup/2026-03-02.md": "# 2026-03-02\n\n"
        "## Done\n\n- Renew the certificate: Ordered and installed it. It was done.\n\n"
        "## Blocked\n\n- Move the mailbox: It failed: The import stopped.\n"
    }


def test_a_name_of_which_only_a_part_is_known_fills_no_placeholder_for_both() -> None:
    known = space(SOCIAL)
    left_out = learn(known, {"text": "Bob likes jazz.", "subject": "Bob"})

    assert pages(known, "social-contacts") == {}
    assert left_out == ["social-contacts: [first-last] was not filled, only a part of the name Bob is known"]
    assert "Bob likes jazz." in "".join(pages(known, "user-general-facts").values())


def test_things_that_nobody_called_so_get_no_page() -> None:
    known = space(PROJECTS, CUSTOMERS_ZH)
    learn(known, {"text": "Northwind sells umbrellas.", "subject": "Northwind"})
    assert pages(known, "project-notes") == pages(known, "客户档案") == {}


@pytest.mark.parametrize(
    ("stale", "right"),
    [
        ("The user works at Initech.", "The user joined Globex."),
        ("The user prefers tabs over spaces.", "The user now prefers spaces over tabs."),
        ("The user drinks coffee every morning.", "The user stopped drinking coffee."),
        ("The user is 34 years old.", "The user is 35 years old."),
        ("用户住在上海。", "用户搬到了北京。"),
        ("用户喜欢喝咖啡。", "用户不再喝咖啡了。"),
    ],
)
def test_what_is_corrected_is_replaced_wherever_it_stands(stale: str, right: str) -> None:
    known = space()
    kept = ("The user's sister works at Hooli.", "用户的姐姐住在广州。", "The user is allergic to peanuts.")
    for text in (*kept, stale, right):
        learn(known, {"text": text, "subject": "user"})
    general = "".join(pages(known, "user-general-facts").values())
    assert right in general
    assert stale not in general
    assert all(text in general for text in kept)


@pytest.mark.parametrize(
    ("statement", "other"),
    [
        ("The user is allergic to peanuts.", "The user is allergic to mango."),
        ("The user's wife Anna is a lawyer.", "The user is a nurse."),
        ("用户的女儿叫小美。", "用户的儿子叫小强。"),
        ("The user visited Oslo.", "The user visited Turin."),
    ],
)
def test_what_may_both_be_true_is_both_kept(statement: str, other: str) -> None:
    known = space()
    for text in (statement, other):
        learn(known, {"text": text, "subject": "user"})
    general = "".join(pages(known, "user-general-facts").values())
    assert statement in general
    assert other in general


def test_a_space_without_a_skill_for_facts_gets_one() -> None:
    known = Workspace.of([])
    learn(known, {"text": "The user lives in Porto.", "subject": "user"})
    assert "Porto" in pages(known, "user-general-facts")["home.md"]


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: odd\ndescription: Odd.\n---\n" + "[" * 5_000 + ".md",
        "---\nname: odd\ndescription: Odd.\n---\n## Files\n" + "`[a].md` " * 2_000,
        "---\nname: odd\ndescription: Odd.\n---\n## Format\n" + "# " * 20_000,
        "---\nname: odd\ndescription: Odd.\n---\n## Files\n`../[name].md` `/etc/[name].md` `a\\[name].md`",
        "---\nname: odd\ndescription: 每个" + "人" * 1_500 + "\n---\n## 文件\n`[人].md`",
    ],
)
def test_hostile_schemas_hold_nothing_up(text: str) -> None:
    known = space(text)
    learn(known, ALICE)
    paths = [path for skill in known.skills.values() for path in skill.files]
    assert not [path for path in paths if path.startswith(("/", ".")) or "\\" in path]


MACHINES = """---
name: machines
description: Machines of the workshop and their quirks.
---
## Files
`[machine].md`
## Sections
Each file has these sections:
### Facts
### Faults
"""


def test_things_have_pages_by_the_noun_of_the_schema() -> None:
    known = space(MACHINES)
    learn(
        known,
        {"text": "The laser cutter needs a new lens every six months.", "subject": "laser cutter"},
        {"text": "The user lives in Porto.", "subject": "user"},
    )

    assert list(pages(known, "machines")) == ["laser-cutter.md"]


@pytest.mark.parametrize(
    ("schema", "skill", "name", "before", "after"),
    [
        (
            SOCIAL,
            "social-contacts",
            "Alice Chen",
            "Alice Chen is the user's contact at Northwind.",
            "Alice Chen left Northwind, she now works at Contoso.",
        ),
        (PEOPLE_ZH, "人物档案", "李婷", "李婷在北辰工作。", "李婷从北辰离职了，现在在蓝海上班。"),
    ],
)
def test_what_is_said_to_be_over_leaves_the_page(
    schema: str, skill: str, name: str, before: str, after: str
) -> None:
    known = space(schema)
    learn(known, {"text": before, "subject": name})
    learn(known, {"text": after, "subject": name}, day=date(2026, 4, 1))

    (page,) = pages(known, skill).values()
    assert before not in page
    assert after in page
