"""What the land of a table does not allow, as its scripts saw it: words, said as sentences."""

from __future__ import annotations

from app.games.texts import Theme

LACKS = ("scripts", "build", "url", "no_experience", "experience", "rez")
"""The words; each has its sentence as `land_WORD` in `[notice]`."""


def said(lacks: str, experience: str, theme: Theme) -> str:
    """What its owner is told.

    `lacks`: words with commas between them; unknown ones count for nothing.  `experience`: the name
    of the one to which the scripts belong.
    """
    found = lacks.split(",")
    told = [theme.say("notice", f"land_{word}", name=experience) for word in LACKS if word in found]
    if not told:
        return theme.say("notice", "land_fine")
    return "\n".join((theme.say("notice", "land_lacks"), *(f"• {line}" for line in told)))
