"""Describe images in words, by a vision model."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from memories.engine.client.chat import ChatModel, ModelRequest
from memories.engine.client.http_json import Deadline, Provider
from memories.engine.client.prompt_fence import build_messages
from memories.engine.protocols import MODEL_ERRORS
from memories.engine.provider_choice import ProviderChoice, choose_provider

PROMPT = "describe-1"
PURPOSE = "describe"
# Providers refuse larger requests; Base64 takes a third more.
LARGEST_IMAGE = 14 * 1024 * 1024
OUTPUT_TOKENS = 600
MAX_DESCRIPTION = 2_000
# What remote models know how to look at.
SEEN = {"image/jpeg", "image/png", "image/gif", "image/webp"}

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of an image, and where in them lies what is nobody's business: place, camera, comments."""

    content: bytes
    media_type: str
    private: Sequence[Span] = ()

    def public_bytes(self) -> bytes:
        """The image without its private metadata. In a WebP that is blanked, because the head counts its bytes."""
        kept = bytearray(self.content)
        for start, end in sorted(self.private, reverse=True):
            kept[start:end] = b"\0" * (end - start) if self.media_type == "image/webp" else b""
        return bytes(kept)


@dataclass(frozen=True, slots=True)
class Description:
    """The words, and who found them; without words, why nobody did."""

    text: str
    by: str
    trouble: str = ""


class Describer(Protocol):
    """Describes an image in the language of the words beside it. Never fails, and keeps its time limit."""

    def describe(self, picture: Picture, words: str) -> Description: ...


class RemoteDescriber:
    """Any server with OpenAI's `/chat/completions` whose model takes parts of type `image_url`."""

    def __init__(self, model: ChatModel, seconds: float) -> None:
        self._model = model
        self._seconds = seconds

    def describe(self, picture: Picture, words: str) -> Description:
        if picture.media_type not in SEEN or len(picture.content) > LARGEST_IMAGE:
            return Description("", self._model.name, "not a picture for models")
        question = ModelRequest(PURPOSE, _build_messages(picture, words), output_tokens=OUTPUT_TOKENS)
        try:
            text = self._model.ask(question, Deadline.after(self._seconds)).strip()
        except MODEL_ERRORS as error:
            return Description("", self._model.name, str(error)[:80])
        text = text.replace("\0", " ")[:MAX_DESCRIPTION]
        return Description(text, self._model.name, "" if text else "empty answer")


def _build_messages(picture: Picture, words: str) -> list[dict[str, Any]]:
    instruction, asked = build_messages(PROMPT, {"words": words})
    content = base64.b64encode(picture.public_bytes()).decode()
    parts = [
        {"type": "text", "text": asked["content"]},
        {"type": "image_url", "image_url": {"url": f"data:{picture.media_type};base64,{content}"}},
    ]
    return [instruction, {"role": "user", "content": parts}]


def get_describer() -> Describer | None:
    """The model of the present project that describes images; None where none is configured."""
    choice = choose_provider()
    return _build_describer(choice) if choice.base_url and choice.vision_model else None


@lru_cache(500)
def _build_describer(choice: ProviderChoice) -> Describer:
    provider = Provider(choice.base_url, choice.api_key, choice.owner)
    return RemoteDescriber(ChatModel(provider, choice.vision_model, OUTPUT_TOKENS), choice.seconds)
