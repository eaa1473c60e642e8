"""The tables of tenants: accounts and people, keys, requests, usage, payment, but no business flow."""

from tenancy.models.account import Account
from tenancy.models.api_key import ApiKey
from tenancy.models.audit import AuditEvent, AuditHead
from tenancy.models.billing import (
    STRIPE_ID,
    Invoice,
    PlanApplication,
    StripeCustomer,
    StripeEvent,
    Subscription,
)
from tenancy.models.deletion import BYTES, Erasure, ProjectDeletion
from tenancy.models.key_mail import KeyMail, KeyNews
from tenancy.models.membership import Invitation, Membership, ProjectRole, Role
from tenancy.models.oauth_grant import OAuthGrant
from tenancy.models.operator import OperatorVisit
from tenancy.models.plan import Plan
from tenancy.models.project import Project, TenantRow
from tenancy.models.provider import ModelProvider
from tenancy.models.request_log import LogShare, RequestLog, StoredAnswer
from tenancy.models.storage import StoredBytes, StoredChange
from tenancy.models.usage import (
    AccountRow,
    ModelUsage,
    QuotaAlert,
    QuotaMonth,
    Reservation,
    SubjectUsage,
    UsageDay,
)
from tenancy.models.user import User, UserManager

__all__ = [
    "Account",
    "AccountRow",
    "ApiKey",
    "AuditEvent",
    "AuditHead",
    "BYTES",
    "Erasure",
    "Invitation",
    "Invoice",
    "KeyMail",
    "KeyNews",
    "LogShare",
    "Membership",
    "ModelProvider",
    "ModelUsage",
    "OAuthGrant",
    "OperatorVisit",
    "Plan",
    "PlanApplication",
    "Project",
    "ProjectDeletion",
    "ProjectRole",
    "QuotaAlert",
    "QuotaMonth",
    "RequestLog",
    "Reservation",
    "Role",
    "STRIPE_ID",
    "StoredAnswer",
    "StoredBytes",
    "StoredChange",
    "StripeCustomer",
    "StripeEvent",
    "SubjectUsage",
    "Subscription",
    "TenantRow",
    "UsageDay",
    "User",
    "UserManager",
]
