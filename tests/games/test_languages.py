"""What the games say in other languages: complete, with the same words to fill in, and fitting."""

import tomllib
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from app.display import TEXT_SETS, drawable
from app.games import GAMES, lobby, menus, texts
from app.games.core import NOBODY, Actor, Game, Key
from app.games.dialogs import LABEL_BYTES, TEXT_BYTES
from app.games.lines import in_languages, lines

from .driver import OWNER, actor, lobby_of, playing
from .walks import fixed_walk

COMPLETE = ("es",)
"""Languages that lack nothing; others are said in English where they do."""

LOBBY = Path(texts.__file__).parent / "themes" / "lobby.toml"
FILES = [LOBBY, *(texts.folder(game) / "themes" / "classic.toml" for game in GAMES)]
UNTRANSLATED = ("pictures", "colors")

EVERY_LANGUAGE = pytest.mark.parametrize("language", texts.LANGUAGES)
EVERY_GAME = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def said(file: Path) -> dict[tuple[str, str], str]:
    """Every line of a file by its section and name."""
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    return {
        (section, name): line
        for section, lines in sections.items()
        if isinstance(lines, dict) and section not in UNTRANSLATED
        for name, line in lines.items()
    }


def filled_in(line: str) -> list[tuple[str, str | None]]:
    """What is filled into a line, and how, in no order."""
    return sorted({(name, how or "") for _, name, how, _ in Formatter().parse(line) if name})


def in_language(language: str) -> list[tuple[Path, Path]]:
    pairs = [(file, file.with_suffix(f".{language}.toml")) for file in FILES]
    return [(file, other) for file, other in pairs if other.exists()]


@pytest.mark.parametrize("language", COMPLETE)
def test_a_complete_language_lacks_nothing(language: str) -> None:
    for file in FILES:
        assert said(file).keys() == said(file.with_suffix(f".{language}.toml")).keys(), file


@EVERY_LANGUAGE
def test_a_language_says_nothing_that_english_does_not_and_fills_in_the_same(language: str) -> None:
    for file, other in in_language(language):
        english = said(file)
        for which, line in said(other).items():
            assert filled_in(line) == filled_in(english[which]), (other, which)
            assert line == line.strip() != "", (other, which)


@EVERY_LANGUAGE
def test_labels_fit_on_buttons(language: str) -> None:
    for _, file in [*in_language(language), *((f, f) for f in FILES)]:
        for (section, name), line in said(file).items():
            if section in ("button", "option") and "{" not in line:
                assert len(line.encode()) <= LABEL_BYTES, (file, name)


@EVERY_LANGUAGE
def test_what_text_meshes_show_can_be_drawn_and_fits(language: str) -> None:
    for _, file in in_language(language):
        for (section, name), line in said(file).items():
            if section in ("status", "dice"):
                assert drawable(line) == line, (file, name)
                columns = TEXT_SETS["Status" if section == "status" else "Dice"][0]
                assert "{" in line or len(line) <= columns, (file, name)


@EVERY_LANGUAGE
@EVERY_GAME
def test_every_value_of_an_option_has_a_word(game: Game[Any], language: str) -> None:
    theme = texts.load(game.name, language=language)
    for name, values in menus.choosable(game).items():
        for value in values:
            word = ("on" if value else "off") if isinstance(value, bool) else str(value)
            assert word.isdecimal() or theme.has("value", word), name


@pytest.mark.parametrize("language", COMPLETE)
@EVERY_GAME
def test_whole_matches_are_told_and_asked_in_it(game: Game[Any], language: str) -> None:
    """Every line, dialog and HUD of random matches can be made, is another one, and fits."""
    english, theme = texts.load(game.name), texts.load(game.name, language=language)
    for seed in range(6):
        walk = fixed_walk(game, seed, 60)
        for step in walk.steps:
            match = step.before
            for event in step.events:
                told = lines(game, match, match, event, theme)
                assert len(told) == len(lines(game, match, match, event, english))
                break
            for seat in match.seats:
                name = menus.due(game, match, seat.key) or "wait"
                for which in (name, "lobby", "language", "owner", "options", "table_language"):
                    who = Actor(seat.key, owner=seat.key == match.owner)
                    made = menus.dialog(game, match, who, which, 0, theme)
                    other = menus.dialog(game, match, who, which, 0, english)
                    assert (made is None) == (other is None)
                    if made is not None and other is not None:
                        assert made.text != other.text
                        assert len(made.text.encode()) <= TEXT_BYTES
                        assert [(b.command, b.then) for b in made.buttons] == [
                            (b.command, b.then) for b in other.buttons
                        ]


def test_an_unknown_language_is_english() -> None:
    assert texts.load("peril", language="tlh") is not texts.load("peril")
    assert texts.load("peril", language="tlh").say("button", "start") == "Start Game"


def test_a_language_over_a_theme_keeps_its_pictures() -> None:
    theme = texts.load("peril", "existing", "es")
    assert theme.pictures == texts.load("peril", "existing").pictures
    assert theme.say("button", "start") == "Empezar"


# ---- the language of the table ----------------------------------------------------------------


def test_the_owner_chooses_what_the_table_speaks_in_public() -> None:
    table = lobby_of("ann")
    assert table.press(OWNER, "owner", "🌐 Table Language") == "table_language"
    assert table.press(OWNER, "table_language", "Español") == "owner"
    assert table.match.language == table.public().language == "es"
    assert table.refused(OWNER, lobby.SetLanguage("es")) == "already_this_language"
    known = ", ".join(texts.LANGUAGES.values())
    assert table.reason(OWNER, lobby.SetLanguage("xx")).endswith(f"It speaks: {known}.")
    assert table.refused("ann", lobby.SetLanguage("en")) == "owner_only"


def test_it_stays_from_match_to_match_and_from_game_to_game() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(OWNER, lobby.SetLanguage("es"))
    table.do(OWNER, lobby.ResetMatch())
    table = table.reopened()
    table.do(OWNER, lobby.ChooseGame("roulette"))
    assert table.reopened().match.language == "es"


def test_a_match_logged_before_there_were_languages_is_english() -> None:
    assert lobby.MatchOpened("peril", OWNER.key, {}).language == "en"


# ---- and everybody's own ----------------------------------------------------------------------


def test_lines_to_one_alone_are_in_his_language_and_public_ones_in_the_tables() -> None:
    table = lobby_of("ann", "bob")
    ann, bob = actor("ann").key, actor("bob").key
    speaks = {bob: "en"}

    def theme_of(key: Key) -> texts.Theme:
        return texts.load("peril", language=speaks.get(key, "es"))

    before = table.match
    table.do("ann", lobby.Leave())
    told = in_languages(table.game, before, table.match, lobby.Left(ann), theme_of)
    assert told == [
        (NOBODY, "Ann se ha ido de la mesa."),
        (bob, "You are the first player now: touch the table to start the game."),
    ]


def test_everybody_finds_his_language_by_its_own_name() -> None:
    table = lobby_of("ann")
    assert table.press("ann", "lobby", "🌐 Language") == "language"
    dialog = table.shown("ann", "language")
    assert [b.label for b in dialog.buttons if b.command is None][-1] is not None
    labels = {*texts.LANGUAGES.values(), "As the Table", "⬅️ Back"}
    assert labels == {b.label for b in dialog.buttons}
    assert table.dialog("zed", "language") is None
