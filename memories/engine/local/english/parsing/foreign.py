"""Which sentences in Latin or other letters are not English."""

from __future__ import annotations

import re

# Frequent function words that English does not have, of the larger languages in Latin letters.
_FOREIGN = frozenset(
    """ich du wir ihr und der das ist nicht ein eine mein meine mit auf für von zu bin habe wohne auch aber wenn
    el la los las un una que y en de mi con por para no es soy estoy muy pero del al yo tengo vivo
    je tu il nous vous le les des une et est suis pas mon ma mes avec pour dans sur mais j'ai c'est
    io sono il lo gli della di che non per una ho mio mia con eu não uma meu minha com você é sou tenho
    ik je het een niet van mijn zijn met voor maar jag och är inte min jeg ikke og er min""".split()
)
# Nigerian Pidgin has English words and verbs of its own; its sentences are quoted.
_PIDGIN = re.compile(r"\b(?:dey|wetin|abeg|sabi|wahala|pikin)\b")
_ENGLISH = frozenset(
    """
        i the a an and is are was were am my our me we you he she it they his her to of in on at for
        with not have has had do does did but that this from be been will would can as so there what
        when who if or by about no just out up
    """.split()
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")


def is_foreign(sentence: str) -> bool:
    """Return whether most of a sentence is in another language, or in other letters."""
    letters = [letter for letter in sentence if letter.isalpha()]
    if not letters:
        return False
    if sum(not _LATIN.match(letter) for letter in letters) > len(letters) / 2:
        return True
    if _PIDGIN.search(sentence):
        return True
    words = [word.lower() for word in _WORD.findall(sentence)]
    english = sum(word in _ENGLISH or "'" in word for word in words)
    foreign = sum(word in _FOREIGN and word not in _ENGLISH for word in words)
    has_accents = any(ord(letter) > 127 and letter.isalpha() and letter.islower() for letter in sentence)
    return foreign > english and (foreign >= 2 or has_accents) and foreign * 6 >= len(words)
