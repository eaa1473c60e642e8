"""Addresses of the console's pages."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from console.pages.account import account
from console.pages.account.audit import audit
from console.pages.account.billing import billing, billing_changes, plan_applications, pricing
from console.pages.account.me import device, me, second_factor
from console.pages.account.me.language import choose_language
from console.pages.account.members import invitation, invite, members
from console.pages.account.usage import limits, usage
from console.pages.help import home, styleguide
from console.pages.help.docs.urls import docs_pages
from console.pages.help.find.urls import find_pages
from console.pages.knowledge.downloads import download
from console.pages.knowledge.memos_redirects import knowledge_of_dashboard
from console.pages.knowledge.urls import knowledge_pages
from console.pages.memory.bulk.urls import bulk_pages
from console.pages.memory.conversations.urls import conversation_pages
from console.pages.memory.health import keep_both
from console.pages.memory.health.health import health
from console.pages.memory.memories import delete, edit, memory, status
from console.pages.memory.memories.listing import memories, saved_views, trash
from console.pages.memory.playground.urls import playground_pages
from console.pages.memory.users.urls import user_pages
from console.pages.monitoring.logs.sharing import log_shared
from console.pages.monitoring.logs.urls import log_pages
from console.pages.monitoring.overview.urls import overview_pages
from console.pages.monitoring.tasks.urls import task_pages
from console.pages.project import (
    archive,
    deletions,
    model_provider,
    projects,
    quickstart,
    reextraction,
    sample,
    settings,
    skill_settings,
)
from console.pages.project.keys import key_changes, keys
from console.pages.shell.memos_urls import dashboard_pages
from console.pages.skills.memos_redirects import skills_of_dashboard
from console.pages.skills.urls import skill_pages
from console.pages.spaces.urls import session_pages, space_pages

app_name = "console"

project_pages: list[URLPattern | URLResolver] = [
    *overview_pages,
    path("quickstart/", quickstart.quickstart, name="quickstart"),
    path("quickstart/progress/", quickstart.quickstart_progress, name="quickstart_progress"),
    path("quickstart/key/", quickstart.quickstart_key, name="quickstart_key"),
    *(
        path(f"quickstart/run/{call}/", quickstart.quickstart_run, {"call": call}, f"quickstart_run_{call}")
        for call in ("add", "search")
    ),
    path("api-keys/", keys.api_keys, name="api_keys"),
    path("api-keys/new/", keys.api_key_new, name="api_key_new"),
    path("api-keys/revoke-all/", key_changes.api_keys_revoke_all, name="api_keys_revoke_all"),
    path("api-keys/<uuid:key_id>/", key_changes.api_key_edit, name="api_key_edit"),
    path("api-keys/<uuid:key_id>/rotate/", key_changes.api_key_rotate, name="api_key_rotate"),
    path("api-keys/<uuid:key_id>/end/", key_changes.api_key_end_overlap, name="api_key_end_overlap"),
    path("api-keys/<uuid:key_id>/revoke/", key_changes.api_key_revoke, name="api_key_revoke"),
    path("api-keys/<uuid:key_id>/leaked/", key_changes.api_key_leaked, name="api_key_leaked"),
    path("health/", health, name="health"),
    path("health/keep/<uuid:memory_id>/<uuid:other_id>/", keep_both.health_keep, name="health_keep"),
    path("health/keep/<uuid:memory_id>/<uuid:other_id>/undo/", keep_both.health_unkeep, name="health_unkeep"),
    path("memories/", memories.memories, name="memories"),
    path("memories/news/", memories.memories_news, name="memories_news"),
    path("memories/", include(bulk_pages)),
    path("memories/views/", saved_views.view_save, name="view_save"),
    path("memories/views/<uuid:view_id>/delete/", saved_views.view_delete, name="view_delete"),
    path("memories/trash/", trash.memories_trash, name="memories_trash"),
    path("memories/trash/restore/", trash.trash_restore, name="trash_restore"),
    path("memories/trash/purge/", trash.trash_purge, name="trash_purge"),
    path("memories/<uuid:memory_id>/", memory.memory, name="memory"),
    path("memories/<uuid:memory_id>/edit/", edit.memory_edit, name="memory_edit"),
    path(
        "memories/<uuid:memory_id>/versions/<int:number>/restore/",
        edit.memory_restore_version,
        name="memory_restore_version",
    ),
    path("memories/<uuid:memory_id>/delete/", delete.memory_delete, name="memory_delete"),
    path("memories/<uuid:memory_id>/status/<slug:move>/", status.memory_status, name="memory_status"),
    path("playground/", include(playground_pages)),
    path("users/", include(user_pages)),
    path("conversations/", include(conversation_pages)),
    path("knowledge/", include(knowledge_pages)),
    path("skills/", include(skill_pages)),
    path("spaces/", include(space_pages)),
    path("sessions/", include(session_pages)),
    path("settings/", settings.project_settings, name="settings"),
    path("settings/skills/", skill_settings.skill_policies, name="settings_skills"),
    path("settings/tasks/", skill_settings.task_criteria, name="settings_tasks"),
    path("settings/model/", model_provider.model_provider, name="model_provider"),
    path("settings/model/try/", model_provider.model_provider_try, name="model_provider_try"),
    path("settings/model/forget/", model_provider.model_provider_delete, name="model_provider_delete"),
    path("settings/memories/", reextraction.reextraction, name="reextraction"),
    path("settings/<slug:section>/", settings.settings_section, name="settings_section"),
    *find_pages,
    path("logs/", include(log_pages)),
    path("tasks/", include(task_pages)),
]
account_pages = [
    path("", projects.projects, name="projects"),
    path("projects/new/", projects.project_new, name="project_new"),
    path("sample-data/", sample.sample_add, name="sample_add"),
    path("sample-data/remove/", sample.sample_remove, name="sample_remove"),
    path("projects/<uuid:project_id>/", projects.project_edit, name="project_edit"),
    path("projects/<uuid:project_id>/archive/", archive.project_archive, name="project_archive"),
    path("projects/<uuid:project_id>/restore/", archive.project_restore, name="project_restore"),
    path("projects/<uuid:project_id>/delete/", deletions.project_delete, name="project_delete"),
    path("deletions/", deletions.deletions, name="deletions"),
    path("deletions/<uuid:deletion_id>/", deletions.deletion, name="deletion"),
    path("deletions/<uuid:deletion_id>/file/", deletions.deletion_file, name="deletion_file"),
    path("usage/", usage.usage, name="usage"),
    path("limits/", limits.limits, name="limits"),
    path("billing/", billing.billing, name="billing"),
    path(
        "billing/choose/<slug:plan>/<slug:interval>/", billing_changes.billing_choose, name="billing_choose"
    ),
    path("billing/cancel/", billing_changes.billing_cancel, name="billing_cancel"),
    path("billing/resume/", billing_changes.billing_resume, name="billing_resume"),
    path("billing/portal/", billing_changes.billing_portal, name="billing_portal"),
    path("billing/invoices/<uuid:invoice_id>/", billing_changes.billing_invoice, name="billing_invoice"),
    path(
        "billing/application/withdraw/",
        plan_applications.plan_application_cancel,
        name="plan_application_cancel",
    ),
    path("members/", members.members, name="members"),
    path("members/leave/", members.member_leave, name="member_leave"),
    path("members/second-factor/", second_factor.second_factor_ask, name="second_factor_ask"),
    path("members/second-factor/stop/", second_factor.second_factor_stop, name="second_factor_stop"),
    path("members/<int:member_id>/roles/", members.member_roles, name="member_roles"),
    path("members/<int:member_id>/remove/", members.member_remove, name="member_remove"),
    path("members/<int:member_id>/transfer/", members.account_transfer, name="account_transfer"),
    path("second-factor/", second_factor.second_factor, name="second_factor"),
    path("settings/", account.account_settings, name="account_settings"),
    path("delete/", account.account_delete, name="account_delete"),
    path("audit/", audit.audit, name="audit"),
    path("audit/verify/", audit.audit_verify, name="audit_verify"),
    path("audit/export/", audit.audit_export, name="audit_export"),
    path("invitations/new/", invite.invitation_new, name="invitation_new"),
    path("invitations/<uuid:invitation_id>/again/", invite.invitation_again, name="invitation_again"),
    path("invitations/<uuid:invitation_id>/revoke/", invite.invitation_revoke, name="invitation_revoke"),
]
urlpatterns = [
    path("", home.landing, name="landing"),
    path("home/", home.home, name="home"),
    path("pricing/", pricing.pricing, name="pricing"),
    path("device/", device.device, name="device"),
    path("me/", me.me, name="me"),
    path("me/sessions/end/", me.sessions_end, name="sessions_end"),
    path("me/sessions/<int:session_id>/end/", me.session_end, name="session_end"),
    path("me/delete/", me.login_delete, name="login_delete"),
    path("invite/<str:token>/", invitation.invitation, name="invitation"),
    path("language/", choose_language, name="set_language"),
    path("console/_styleguide/", styleguide.styleguide, name="styleguide"),
    path("files/<str:signed>/", download, name="download"),
    path("shared/requests/<str:token>/", log_shared, name="log_shared"),
    *docs_pages,
    *dashboard_pages,
    *(
        path(f"{language}knowledgeBase{rest}", knowledge_of_dashboard)
        for language in ("", "en/", "cn/")
        for rest in ("", "/", "/<slug:base_id>", "/<slug:base_id>/")
    ),
    *(
        path(f"{language}skill{rest}", skills_of_dashboard)
        for language in ("", "en/", "cn/")
        for rest in ("", "/")
    ),
    path("p/<uuid:project_id>/", include(project_pages)),
    path("a/<uuid:account_id>/", include(account_pages)),
]
