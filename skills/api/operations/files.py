"""Skills as files."""

from __future__ import annotations

from skills.api import answer_types as answers
from skills.api.operations.parameters import SKILL, USER, WINDOW
from skills.api.serializers import UploadBody
from tenancy import errors
from tenancy.api.operations import Operation, Parameter

OPERATIONS = (
    Operation(
        id="uploadSkill",
        method="POST",
        path="agent_skills",
        tag="Skills",
        summary="Upload a skill as a ZIP archive with a SKILL.md",
        body=UploadBody,
        media_type="multipart/form-data",
        answer=answers.Skill,
        statuses=(201,),
        refusals=(
            errors.TooManyFiles,
            errors.FileTooLarge,
            errors.FilesTooLarge,
            errors.InvalidFile,
            errors.UnsupportedFileType,
            errors.PlanLimitReached,
        ),
    ),
    Operation(
        id="listSkills",
        method="GET",
        path="agent_skills",
        tag="Skills",
        summary="List the skills in use",
        parameters=(USER, *WINDOW),
        answer=answers.SkillPage,
    ),
    Operation(
        id="getSkill",
        method="GET",
        path="agent_skills/{skill_id}",
        tag="Skills",
        summary="Read a skill",
        parameters=(SKILL,),
        answer=answers.Skill,
    ),
    Operation(
        id="deleteSkill",
        method="DELETE",
        path="agent_skills/{skill_id}",
        tag="Skills",
        summary="Delete a skill with its files",
        parameters=(SKILL,),
        refusals=(errors.Conflict,),
    ),
    Operation(
        id="getSkillFile",
        method="GET",
        path="agent_skills/{skill_id}/file",
        tag="Skills",
        summary="Read a file of a skill",
        description="A file that is no text is answered with a link that needs no key.",
        parameters=(
            SKILL,
            Parameter(
                "file_path", {"type": "string", "minLength": 1}, "A path of file_index.", example="SKILL.md"
            ),
            Parameter(
                "expire",
                {"type": "integer", "minimum": 1, "maximum": 604800, "default": 900},
                "For how many seconds a link works; a week at most.",
            ),
        ),
        answer=answers.FileContent,
        refusals=(errors.RequiredFieldEmpty,),
    ),
    Operation(
        id="downloadSkill",
        method="GET",
        path="agent_skills/{skill_id}/download_zip",
        tag="Skills",
        summary="Download a skill as a ZIP archive",
        parameters=(SKILL,),
        has_json=False,
        other_answers={"application/zip": {"type": "string", "contentMediaType": "application/zip"}},
        refusals=(errors.FilesTooLarge,),
    ),
)
