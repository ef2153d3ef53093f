"""Whole matches through the real scripts: everything by touches and dialogs, nothing else."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from sqlmodel import Session

from app.devices import wire
from app.games.core import Key, Rights
from app.table import standings
from app.table.database import open_log
from app.table.deeds import OWNERS_CONSOLE
from app.table.models import RecordRow
from tests.games.dice import SeededDice

from . import Avatar, Linkset
from .memory import LIMIT_BYTES, value_bytes
from .venue import PRIMS, QUICK, Venue, picture_of, venue

HUD_CENTER_2 = 31
NEWS = wire.LSL_CONSTANTS["MSG_NEWS"]


def test_two_people_play_a_whole_match_and_the_prims_always_show_the_board(tmp_path: Path) -> None:
    """PB-157, PB-164: no script complains, and every result is shown."""
    with venue(tmp_path, SeededDice(3)) as v:
        table = v.build()
        v.set_options(table, **QUICK)
        people = v.join(table, "Ann", "Bob")
        v.same(table)
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(2)
        v.play(table, people)
        said = [line.text for line in v.region.public_chat]
        assert said.count("⚡ THE KILLING GAME BEGINS! ⚡") == 1
        assert sum("ULTIMATE VICTORY" in line for line in said) == 1
        assert table.root.particles
        v.region.run(30)
        v.same(table)
        assert not table.root.particles
        v.same_huds(table)
        v.same_words(table, people)
        assert [p.dialog.buttons for p in people if p.dialog] == [["Play Again"]] * 2
        people[1].press("Play Again")
        v.region.run(3)
        assert v.hot(table).now.match.starter == people[1].key
        assert v.region.debug == []
        assert v.region.dropped == []


def test_the_owner_plays_with_bots_and_rules_the_table_by_his_menu(tmp_path: Path) -> None:
    with venue(tmp_path, SeededDice(5)) as v:
        table, owner = v.build(), v.owner
        v.set_options(table, **QUICK, bot_pick_s=0, bot_roll_s=0)
        owner.touch(table)
        v.region.run(2)
        for label in ("Owner Menu", "👥 Players", *["Add Test Player"] * 3, "⬅️ Back to Main"):
            owner.press(label)
            v.region.run(2)
        owner.press("🔒 Lock Game")
        v.region.run(2)
        [ann] = v.join(table, "Ann")
        assert ann.lines[-1].text.startswith("🔒 This table is locked")
        owner.press("🔓 Unlock Game")
        v.region.run(2)
        owner.press("⬅️ Back to Game")
        v.region.run(2)
        owner.press("Join Game")
        v.region.run(2)
        owner.press("Start Game")
        v.region.run(2)
        assert [s.name for s in v.hot(table).now.match.seats][:3] == ["Bot1", "Bot2", "Bot3"]
        floaters = v.huds()
        assert {"Bot1", "Bot2", "Bot3"} <= set(floaters)
        v.play(table, [owner])
        v.region.run(40)
        assert not [o for o in v.region.objects if o.name == "Peril HUD"]
        assert v.region.debug == []


NAMES = (
    "Ωmega Ñandú Çelik Ümit",
    "",
    "Sam",
    "Sam",
    "<!c=red>X",
    "a¦b¶c|d\ne",
    "🦄🦄🦄🦄🦄🦄🦄🦄🦄🦄🦄🦄🦄🦄🦄",
    "日本語の名前はとても長いです",
    "{0} %s \\n",
    "x" * 31,
)


def test_ten_people_with_every_kind_of_name_play_and_nothing_breaks(tmp_path: Path) -> None:
    """PB-157, PB-212: no script error, no script above 80 % of its memory."""
    with venue(tmp_path, SeededDice(7)) as v:
        table = v.build()
        v.set_options(table, **QUICK, lives=1)
        people = v.join(table, *NAMES)
        assert len(v.hot(table).now.match.seats) == 10
        v.same_huds(table)
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(2)
        v.same_huds(table)
        v.play(table, people)
        v.same_huds(table)
        v.same_words(table, people)
        assert v.region.debug == []
        assert v.region.dropped == []
        assert not v.region.errors
        bodies = [text for _, _, n, text, _ in v.region.link_messages if n == NEWS]
        body = max(value_bytes(text) + value_bytes(text.split("\n")) for text in bodies)
        for script, used in v.peaks.items():
            assert used + body < 0.8 * LIMIT_BYTES, script


def test_each_player_has_a_hud_of_his_own_and_loses_it_when_he_leaves(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        ann, bob = v.join(table, "Ann", "Bob")
        worn = {who.display_name: [a.name for a in who.attachments] for who in (ann, bob)}
        assert worn == {"Ann": ["Peril HUD"], "Bob": ["Peril HUD"]}
        assert ann.attachments[0].root.text[0] == "PERIL DICE\nAnn\nWaiting for the game"
        bob.press("Leave Game")
        v.region.run(10)
        assert [len(who.attachments) for who in (ann, bob)] == [1, 0]


def test_a_touch_of_the_hud_brings_the_dialog_back(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann")
        shown = len(ann.dialogs)
        ann.ignore()
        ann.touch(ann.attachments[0])
        v.region.run(2)
        assert len(ann.dialogs) == shown + 1
        assert "Start Game" in ann.dialogs[-1].buttons


def test_a_touch_of_the_ranking_turns_its_page_and_joins_nobody(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        ann = v.region.avatar("Ann")
        ann.touch(table, "FURWARE text mesh:Leaderboard:9:2:8", face=3)
        v.region.run(3)
        assert not v.hot(table).now.match.seats
        assert ann.dialog is None


def test_the_owner_types_how_long_everybody_has(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, owner = v.build(), v.owner
        owner.touch(table)
        v.region.run(2)
        for label in ("Owner Menu", "⚙️ Options", "Seconds to answer"):
            owner.press(label)
            v.region.run(2)
        owner.answer_textbox("45")
        v.region.run(3)
        assert v.hot(table).now.match.options.turn_s == 45


def test_the_order_of_links_does_not_matter_and_a_change_of_it_is_noticed(tmp_path: Path) -> None:
    """PB-146: everything is found by name."""
    with venue(tmp_path) as v:
        table = v.build(prims=list(reversed(PRIMS)))
        v.join(table, "Ann")
        v.same(table)
        table.prims[1:] = sorted(table.prims[1:], key=lambda prim: prim.name)
        v.region.link_changed(table)
        v.region.run(10)
        v.same(table)
        v.join(table, "Bob")
        v.same(table)


def test_missing_and_doubled_prims_are_reported_once_and_the_rest_is_painted(
    tmp_path: Path,
) -> None:
    with venue(tmp_path) as v:
        prims = [p for p in PRIMS if p != "overlay:2:1"] + ["life:0:0"]
        table = v.build(prims=prims)
        v.region.run(300)
        told = [line.text for line in v.owner.lines if "Prims" in line.text]
        assert told == ["Prims missing: overlay:2:1. Prims with the same name: life:0:0."]
        v.join(table, "Ann")
        assert table.prim("profile:0:0").texture[0][0] == "silhouette"


def test_prims_show_the_pictures_of_profiles_each_beside_its_own_hearts(tmp_path: Path) -> None:
    """They are keys of textures, which no inventory of the table has."""
    with venue(tmp_path, pictures=True) as v:
        table = v.build()
        people = v.join(table, "Ann", "Bob")
        v.region.run(10)
        shown = [table.prim(f"profile:0:{n}").texture[0][0] for n in (0, 1)]
        assert shown == [picture_of(str(who.key)) for who in people]
        v.same(table)


def test_a_hud_has_the_size_of_a_hud_and_hangs_at_the_middle(tmp_path: Path) -> None:
    """PB-179."""
    with venue(tmp_path) as v:
        table = v.build()
        [ann] = v.join(table, "Ann")
        [hud] = ann.attachments
        assert tuple(round(s, 3) for s in hud.root.size) == (0.05, 0.05, 0.05)
        assert hud.root.text[0].startswith("PERIL DICE\nAnn")


@pytest.mark.parametrize("allowed", [True, False])
def test_the_owner_is_told_once_and_truly_what_the_land_allows(
    tmp_path: Path, allowed: bool
) -> None:
    """PB-186, PB-187: where the Experience is not allowed the game is played without HUDs."""
    with venue(tmp_path) as v:
        v.region.land.experience_allowed = allowed
        table = v.build()
        v.region.run(60)
        told = [
            line.text for line in v.owner.lines if "land" in line.text or "works here" in line.text
        ]
        assert len(told) == 1
        assert ("The Experience “Peril” is not allowed here" in told[0]) != allowed
        v.menu(v.owner, table, "Owner Menu", "🛠️ Troubleshooting", "Check Land")
        v.region.run(60)
        assert [line.text for line in v.owner.lines].count(told[0]) == 2
        [ann] = v.join(table, "Ann")
        v.region.run(20)
        assert bool(ann.attachments) == allowed
        assert ann.dialog is not None


def test_the_owner_is_told_of_his_land_in_his_language_and_nobody_else(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        v.region.land.rez_allowed = v.region.land.experience_allowed = False
        v.region.land.owner = v.region.avatar("Landlord")
        v.build(language="es")
        v.region.run(60)
        [told] = [line.text for line in v.owner.lines if "terreno" in line.text]
        assert told.startswith("La mesa funciona aquí, pero:\n• Aquí no se puede crear nada")
        assert "La experiencia «Peril» no está permitida" in told
        assert not v.region.land.owner.lines


def bots_and_ann(v: Venue) -> tuple[Linkset, Avatar]:
    """Two bots of the owner's, and Ann."""
    table = v.build()
    v.set_options(table, **QUICK)
    v.menu(v.owner, table, "Owner Menu", "👥 Players", "Add Test Player", "Add Test Player")
    [ann] = v.join(table, "Ann")
    return table, ann


def test_floaters_show_what_the_bots_have_and_follow_the_owners_wishes(tmp_path: Path) -> None:
    """PB-179: HUDs have their agreed size; floaters are larger and stand beside the table."""
    with venue(tmp_path) as v:
        table, ann = bots_and_ann(v)
        v.same_huds(table)
        [worn] = ann.attachments
        assert [round(n, 3) for n in worn.root.size] == [0.05] * 3
        assert worn.attach_point == HUD_CENTER_2
        places = {tuple(v.huds()[bot].pos) for bot in ("Bot1", "Bot2")}
        assert len(places) == 2
        v.menu(v.owner, table, "Owner Menu", "🛠️ Troubleshooting", "Cleanup Floaters")
        v.region.run(10)
        assert not [o for o in v.region.objects if o.name == "Peril HUD"]
        v.owner.press("Force Floaters")
        v.region.run(10)
        v.same_huds(table)
        assert len(v.huds()) == 3
        v.menu(v.owner, table, "Owner Menu", "👥 Players", "Remove Bot")
        v.region.run(5)
        v.same_huds(table)
        assert len(v.huds()) == 2


def test_who_is_kicked_loses_seat_and_hud_and_may_come_again(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, ann = bots_and_ann(v)
        v.menu(v.owner, table, "Owner Menu", "👥 Players", "Kick Player", "👢 Ann")
        v.region.run(5)
        assert ann.attachments == []
        v.same_huds(table)
        ann.touch(table)
        v.region.run(5)
        assert len(ann.attachments) == 1
        v.same_huds(table)


def test_a_kick_during_the_match_takes_the_hud_away(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, ann = bots_and_ann(v)
        ann.press("Start Game")
        v.region.run(3)
        v.menu(v.owner, table, "👥 Players", "Kick Player", "👢 Ann")
        v.region.run(5)
        assert ann.attachments == []
        v.same_huds(table)


def test_a_reset_asks_first_and_then_clears_the_table(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table, ann = bots_and_ann(v)
        ann.press("Start Game")
        v.region.run(3)
        v.menu(v.owner, table, "🔄 Reset Options", "Reset Game", "NO, CANCEL")
        assert v.hot(table).now.match.stage == "playing"
        v.owner.press("Reset Game")
        v.region.run(2)
        v.owner.press("YES, RESET GAME")
        v.region.run(10)
        assert not v.hot(table).now.match.seats
        assert not [o for o in v.region.objects if o.name == "Peril HUD"]
        v.same(table)


def test_a_lock_lets_nobody_in_but_keeps_the_match_going(tmp_path: Path) -> None:
    with venue(tmp_path, SeededDice(2)) as v:
        table, ann = bots_and_ann(v)
        ann.press("Start Game")
        v.region.run(2)
        v.menu(v.owner, table, "🔒 Lock Game")
        eve = v.region.avatar("Eve")
        eve.touch(table)
        v.region.run(2)
        assert eve.lines[-1].text.startswith("🔒")
        assert eve.dialog is None
        assert "GAME LOCKED" in table.root.text[0]
        v.play(table, [ann])
        assert sum("ULTIMATE VICTORY" in line.text for line in v.region.public_chat) == 1


def test_the_ranking_turns_its_page_for_all_at_a_touch_of_its_lower_half(tmp_path: Path) -> None:
    with venue(tmp_path) as v:
        table = v.build()
        evening_of_25_winners(v, v.hot(table).id)
        table.script("huds").reset()  # the whole board, please
        v.region.run(90)
        v.same(table)
        pages = [table.engine.text("Leaderboard")]  # type: ignore[attr-defined]
        eve = v.region.avatar("Eve")
        for row in (9, 8, 7, 0):
            eve.touch(table, f"FURWARE text mesh:Leaderboard:{row}:1:8", face=3)
            v.region.run(2)
            v.same(table)
            pages.append(table.engine.text("Leaderboard"))  # type: ignore[attr-defined]
        assert [page[0].split()[:2] for page in pages] == [
            ["1.", "Winner0"],
            ["11.", "Winner10"],
            ["21.", "Winner20"],
            ["21.", "Winner20"],
            ["11.", "Winner10"],
        ]
        assert eve.dialog is None
        assert not v.hot(table).now.match.seats


def evening_of_25_winners(v: Venue, table_id: str) -> None:
    """25 people stand in the ranking of the table when the server starts again."""
    v.stop_server()
    with Session(open_log(v.folder / "peril.db").engine) as session:
        for n in range(25):
            session.add(
                RecordRow(
                    scope=table_id,
                    game="peril",
                    key=str(UUID(int=n)),
                    name=f"Winner{n}",
                    wins=100 - n,
                    reached_ms=n,
                )
            )
        session.commit()
    v.start_server()


def test_what_hangs_on_the_wall_without_an_engine_hovers(tmp_path: Path) -> None:
    """A table whose text engine was forgotten shows its texts as hover text."""
    with venue(tmp_path) as v:
        table = v.build(engine=False)
        [ann] = v.join(table, "Ann")
        v.region.run(15)
        shown = table.prim("FURWARE text mesh:Status:0:0:8").text[0].split("\n")
        rows = v.hot(table).now.board["Status"].rows
        assert [r.rstrip() for r in shown] == [r.rstrip() for r in rows if r.strip()]
        ann.touch(table, "FURWARE text mesh:Leaderboard:9:2:8", face=3)
        v.region.run(3)
        assert v.region.debug == []


def test_the_owner_gets_his_console_and_staff_runs_the_table_by_the_same_menu(
    tmp_path: Path,
) -> None:
    """The link is heard by nobody else; who is banned is told why he gets no seat."""
    with venue(tmp_path, SeededDice(7)) as v:
        table = v.build()
        v.menu(v.owner, table, "Owner Menu", "🖥️ Console")
        assert "/owner/enter?code=" in v.owner.lines[-1].text
        stella, eve = (
            v.region.avatar(f"{name} Resident", display_name=name) for name in ("S", "E")
        )
        tables, owner = v.app.state.tables, Key(v.owner.key)
        rights: Rights = frozenset({"matches"})
        v.server.do(standings.change(tables, OWNERS_CONSOLE, owner, Key(stella.key), "S", rights))
        v.server.do(standings.change(tables, OWNERS_CONSOLE, owner, Key(eve.key), "E", banned=True))
        v.region.run(2)
        v.menu(stella, table, "Owner Menu", "👥 Players", "Add Test Player", "⬅️ Back to Main")
        assert stella.dialog is not None
        assert not {"🖥️ Console", "⚙️ Options"} & set(stella.dialog.buttons)
        eve.touch(table)
        v.region.run(2)
        assert eve.lines[-1].text == "The owner of this table does not let you play here."
        assert [s.name for s in v.hot(table).now.match.seats] == ["Bot1"]
        assert not any("code=" in line.text for who in (stella, eve) for line in who.lines)
        assert v.region.errors == []
