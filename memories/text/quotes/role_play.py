"""What users say as somebody whom they play: "Let's role-play: you're a detective and I'm a thief" is no memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.values import Turn

_SENTENCE = re.compile(r"[^.!?\n]+[.!?\n]*")
_OPENING = (
    r"^\W*(?:(?:ok|okay|right|alright|so|well|and|but|now|then|hey|hi|please|great|cool|fine|thanks|lol|haha+)"
    r"\b[,!]? )*"
)
# Somebody proposes to play; "I love role-play games" and "role-play has helped me" propose nothing.
_ROLE_PLAY = re.compile(
    rf"{_OPENING}(?:(?:let['’]?s|let us|(?:can|could|shall|will|would) (?:we|you|i)"
    r"|(?:i|we)(?:['’]d| would) (?:like|love)|i want|i wanna)"
    r"(?: you)?(?: to)?(?: [\w'’]+){0,3}? role[- ]?play(?:ing)?"
    r"|role[- ]?play(?: time)?(?= ?[:,.!–—-])|role[- ]?play (?:with me|as|where|in which|that)"
    r"|(?:for|in) (?:this|our|the) (?:role[- ]?play|scene)|start (?:a|the|our) role[- ]?play)\b",
    re.IGNORECASE,
)
# What may be played, or only be supposed ("Imagine I'm a beginner"): a play gives the assistant a part, too.
_PRETENDED = re.compile(
    rf"{_OPENING}(?:(?:let['’]?s|we can|can we|shall we|i want to|i wanna) )?"
    r"(?:pretend|imagine|make[- ]believe|act out|play)\b",
    re.IGNORECASE,
)
_PART = r"(?:an?|the|your|called|named|(?-i:[A-Z])[\w'’-]+)\b"
_TAKES = r"(?:['’]?m|['’]re| am| are|['’]ll be| will be|['’]ll play| will play| play| be)(?: playing)?"
_OWN_PART = re.compile(rf"\bI{_TAKES} {_PART}", re.IGNORECASE)
_OTHER_PART = re.compile(rf"\byou{_TAKES} (?:{_PART}|my\b)", re.IGNORECASE)
_PLAY = r"(?:role[- ]?play(?:ing)?|game|scene|act(?:ing)?|character|story|pretend(?:ing)?|playing)"
_END = re.compile(
    rf"{_OPENING}(?:(?:let['’]?s |we can |we could |i want to |can we |i['’]m |we['’]re )?"
    rf"(?:stop|end|pause|quit|leave|finish|drop|exit|done)(?:ing|ped|ed)?(?: with| out of)?(?: the| this| our| that)? "
    rf"{_PLAY}|(?:end|stop)(?: scene)?\W*$|(?:the )?(?:scene|game|role[- ]?play)(?:['’]s| is) (?:over|done|finished)"
    rf"|no more {_PLAY}|enough of (?:the |this |that )?{_PLAY}|(?:stepping |going )?out of character|breaking character"
    r"|in real life|in reality|irl|ooc|for real|back to (?:reality|real life|normal|business|me)|the real me"
    r"|(?:that was|this was) (?:so |really |great |such )?(?:a good |good )?(?:fun|great|brilliant|hilarious|laugh)"
    r"|thanks? (?:you )?for (?:the game|playing))\b",
    re.IGNORECASE,
)


def leave_out_played(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with what is said outside of plays only, from the proposal to the sentence that ends one.

    Who asks for a play without taking a part speaks for themselves: "Let's do a mock interview".
    """
    kept: list[Turn] = []
    is_playing = False
    for turn in turns:
        if turn.role == "user":
            text, is_playing = _leave_out(turn.text, is_playing=is_playing)
            kept.append(replace(turn, text=text) if text != turn.text else turn)
        else:
            kept.append(replace(turn, text="") if is_playing else turn)
    return kept


def _leave_out(message: str, *, is_playing: bool) -> tuple[str, bool]:
    text, begun = "", is_playing
    at = 0
    for sentence in _SENTENCE.finditer(message):
        if is_playing and (end := _END.match(sentence[0])):
            is_playing = False
            at = sentence.start() + end.end()
        elif not is_playing and _begins_role_play(
            message[sentence.start() : sentence.start() + _FAR], sentence[0]
        ):
            text += message[at : sentence.start()]
            is_playing = begun = True
    if not begun:
        return message, False
    return (text if is_playing else text + message[at:].lstrip(_BETWEEN)).strip(), is_playing


_BETWEEN = " ,.;:!?…–—-"
# So far behind the proposal the parts are given out.
_FAR = 600


def _begins_role_play(words: str, sentence: str) -> bool:
    if not _OWN_PART.search(words):
        return False
    is_pretended = _PRETENDED.match(sentence) and _OTHER_PART.search(words)
    return bool(_ROLE_PLAY.match(sentence) or is_pretended)
