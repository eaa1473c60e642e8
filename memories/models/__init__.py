"""Conversations in, memories out: the tables."""

from memories.models.attachment import Attachment
from memories.models.bulk import BulkItem, BulkJob
from memories.models.conversation import Conversation, Feedback, Intake, Message
from memories.models.cube import CubeChange, CubeGrant, MemCube
from memories.models.memory import Memory, MemorySource, MemoryVersion, Recall
from memories.models.profile import Profile, ProfileTemplate
from memories.models.recall_test import KeptPair, RecallMark, RecallTest
from memories.models.saved_view import SavedView
from memories.models.task import Task

__all__ = [
    "Attachment",
    "BulkItem",
    "BulkJob",
    "Conversation",
    "CubeChange",
    "CubeGrant",
    "Feedback",
    "Intake",
    "KeptPair",
    "MemCube",
    "Memory",
    "MemorySource",
    "MemoryVersion",
    "Message",
    "Profile",
    "ProfileTemplate",
    "Recall",
    "RecallMark",
    "RecallTest",
    "SavedView",
    "Task",
]
