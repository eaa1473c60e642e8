"""People and the project's configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from skills.api import answer_types as answers
from skills.api.operations.parameters import IDENTIFIER, WHOLE_WINDOW
from tenancy import errors
from tenancy.api.operations import Operation, Schema

_CONFIGS: Mapping[str, Schema] = {
    "application/json": {
        "type": "object",
        "minProperties": 1,
        "properties": {
            "task_success_criteria": {"type": ["string", "null"], "maxLength": 2000},
            "task_failure_criteria": {"type": ["string", "null"], "maxLength": 2000},
        },
    }
}

OPERATIONS = (
    Operation(
        id="listPeople",
        method="GET",
        path="user/ls",
        tag="People",
        summary="List the people whom clients named",
        parameters=WHOLE_WINDOW,
        answer=answers.PersonPage,
    ),
    Operation(
        id="getPersonResources",
        method="GET",
        path="user/{identifier}/resources",
        tag="People",
        summary="Count what a person has",
        parameters=(IDENTIFIER,),
        answer=answers.Resources,
    ),
    Operation(
        id="deletePerson",
        method="DELETE",
        path="user/{identifier}",
        tag="People",
        summary="Delete a person with their sessions and skills",
        parameters=(IDENTIFIER,),
    ),
    Operation(
        id="getProjectConfigs",
        method="GET",
        path="project/configs",
        tag="Project",
        summary="Read what the learner of sessions is told",
        answer=dict[str, Any],
    ),
    Operation(
        id="updateProjectConfigs",
        method="PATCH",
        path="project/configs",
        tag="Project",
        summary="Change what the learner of sessions is told",
        description="A key that is null is deleted.",
        other_bodies=_CONFIGS,
        example={"task_success_criteria": "The customer says that it is solved."},
        answer=dict[str, Any],
        refusals=(errors.RequiredFieldEmpty,),
    ),
    Operation(
        id="pingSkills",
        method="GET",
        path="ping",
        tag="Project",
        summary="Check a key",
    ),
)
