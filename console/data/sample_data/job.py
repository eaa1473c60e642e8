"""Sample data as a background job: a member orders it, a task fills the project by calls that are not charged."""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from console.data.erasure.delete_project import delete_project
from console.data.sample_data.filling import (
    KEY_NAME,
    SAMPLE,
    NotFilled,
    fill_further,
    find_sample_base,
    find_sample_project,
    open_sample_project,
)
from knowledgebase.api.views import AddFilesView, CreateBaseView
from knowledgebase.bases.bases import delete_base
from knowledgebase.models import KnowledgeFile
from memories.api.views import AddFeedbackView, AddMessageView, GetMemoryView, SearchView
from memories.jobs import outbox
from memories.jobs.outbox import Unfinished
from memories.models import Conversation, CubeGrant, MemCube, Task
from memories.values import OwnerKind, TaskKind
from skills.catalogue.write import parse_skill_text
from skills.models import LearningSpace, Session, Skill
from skills.values import SkillOrigin
from tenancy.api.base import ContractView
from tenancy.api.bill import UnchargedBill
from tenancy.api.member_calls import MemberCall, call_as_member
from tenancy.errors import CatalogueError, Conflict, OperationFailed, RateLimited, list_errors
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.metering.rate_limits import count_call
from tenancy.models import Account, Project, Role, User

API = "/api/openmem/v1"
# Between two looks at what other workers do, so that waiting for them keeps nobody from working.
PAUSE = 1.0
TIME_LIMIT = timedelta(minutes=30)
# Of one account on a UTC day: filling keeps workers busy for a minute, and nobody pays for it.
MOST_A_DAY = 3


class SampleCall(MemberCall):
    """A call of the product itself: it is logged, and nobody is charged for it."""

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        made = super().initialize_request(request, *args, **kwargs)
        self.bill = UnchargedBill()
        return made


class SampleMessages(SampleCall, AddMessageView):
    pass


class SampleFeedback(SampleCall, AddFeedbackView):
    pass


class SampleSearch(SampleCall, SearchView):
    pass


class SampleList(SampleCall, GetMemoryView):
    pass


class SampleBase(SampleCall, CreateBaseView):
    pass


class SampleFiles(SampleCall, AddFilesView):
    pass


class ProjectCalls:
    """Calls of the API for a project, inside this process."""

    VIEWS: ClassVar[Mapping[str, type[ContractView]]] = {
        "add/message": SampleMessages,
        "add/feedback": SampleFeedback,
        "search/memory": SampleSearch,
        "get/memory": SampleList,
        "create/knowledgebase": SampleBase,
        "add/knowledgebase-file": SampleFiles,
    }

    def __init__(self, project: Project) -> None:
        self._project = project

    def __call__(self, path: str, body: dict[str, Any]) -> Any:
        """Raises `NotFilled`."""
        view = self.VIEWS[path].as_view()
        outer = HttpRequest()
        outer.META = {"SERVER_NAME": "localhost", "SERVER_PORT": "80"}
        answer = call_as_member(view, outer, self._project, f"{API}/{path}", body).data
        if answer["code"] != 0:
            raise NotFilled(str(answer["message"]), int(answer["code"]))
        return answer["data"]


def add_sample_data(account: Account, actor: User) -> Project:
    """The project, which a task fills; the one that is there, where it was ordered before.

    Raises `InvalidParameters` where a project of somebody's own has its name, and `RateLimited` above `MOST_A_DAY`.
    """
    with transaction.atomic():
        Account.objects.select_for_update(no_key=True).get(pk=account.pk)
        if (sample_project := find_sample_project(account)) is not None:
            return sample_project
        project = open_sample_project(account, actor)
        if not count_call(f"sample:{account.pk}", MOST_A_DAY):
            raise RateLimited(
                f"sample data can be added {MOST_A_DAY} times a day; try again after midnight UTC"
            )
        with tenant_scope(project):
            payload = {"member": actor.pk}
            outbox.write_work(
                account.pk,
                project_id=project.pk,
                kind=TaskKind.SAMPLE,
                dedupe_key=str(project.pk),
                payload=payload,
                subject=project.pk,
            )
    return project


def fill_sample_data(task: Task) -> None:
    """Raises `Unfinished` while other workers are at what was sent, and `outbox.LeaseLost`."""
    projects = Project.objects.select_related("account__plan")
    project = projects.filter(pk=task.own_project, deleting_at=None).first()
    if project is not None:
        actor = _find_actor(project.account, task.payload["member"])
        if not _fill_project(project, actor):
            if timezone.now() - task.created_at > TIME_LIMIT:
                raise OperationFailed("the sample data was not ready in time")
            time.sleep(PAUSE)
            raise Unfinished
    with tenant_scope(Scope(task.account_id, task.project_id)):
        outbox.complete(task, {"filled": project is not None})


def _find_actor(account: Account, key: Any) -> User:
    """The member who ordered the job, or an owner when that login was deleted."""
    members = User.objects.filter(memberships__account=account)
    ordered: User | None = members.filter(pk=key).first()
    return ordered or members.filter(memberships__role=Role.OWNER)[0]


def _fill_project(project: Project, actor: User) -> bool:
    try:
        return fill_further(project, actor, ProjectCalls(project))
    except NotFilled as error:
        if error.code == RateLimited.code:
            return False
        raise _as_error(error) from None


def _as_error(refused: NotFilled) -> CatalogueError:
    kind = next((entry for entry in list_errors() if entry.code == refused.code), OperationFailed)
    return kind(str(refused).removeprefix(f"{kind.message}: "))


def remove_sample_data(project: Project, actor: User) -> None:
    """Delete the project, and its knowledge base where no other project searches it.

    Raises `Conflict` where somebody put data of their own into it.
    """
    if holds_own_data(project):
        raise Conflict("it holds data of your own; delete it on the projects page")
    with tenant_scope(project.account):
        base = find_sample_base(project)
        projects = Project.objects.filter(account=project.account_id).exclude(pk=project.pk)
        is_shared = base is not None and CubeGrant.objects.within(projects).filter(cube=base.cube_id).exists()
    if base is not None and not is_shared:
        delete_base(project, base)
    delete_project(project, actor)


def holds_own_data(project: Project) -> bool:
    """Return whether there is anything in it that is not of the sample data: end users, conversations, sessions,
    spaces, skills, keys, or files of its knowledge base.

    Skills that were generated are of the conversations, whose own they are.
    """
    talks = {talk["id"] for talk in SAMPLE["conversations"]}
    people = {entry["user"] for part in ("conversations", "skills", "searches") for entry in SAMPLE[part]}
    agents = {talk["agent"] for talk in SAMPLE["conversations"] if "agent" in talk}
    titles = {parse_skill_text(skill["text"].strip() + "\n").title for skill in SAMPLE["skills"]}
    with tenant_scope(project):
        cubes, base = MemCube.objects.within(project), find_sample_base(project)
        files = KnowledgeFile.objects.within(project.account_id).filter(base=base)
        return (
            project.api_keys.filter(revoked_at=None).exclude(name=KEY_NAME).exists()
            or (base is not None and files.exclude(name=SAMPLE["base"]["file"]).exists())
            or Session.objects.within(project).exists()
            or LearningSpace.objects.within(project).exists()
            or Conversation.objects.within(project).exclude(external_id__in=talks).exists()
            or cubes.filter(owner_kind=OwnerKind.END_USER).exclude(owner_id__in=people).exists()
            or cubes.filter(owner_kind=OwnerKind.AGENT).exclude(owner_id__in=agents).exists()
            or Skill.objects.within(project.account_id)
            .filter(project=project)
            .exclude(origin=SkillOrigin.GENERATED.value)
            .exclude(title__in=titles)
            .exists()
        )
