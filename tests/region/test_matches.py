"""Whole matches through the real scripts: everything by touches and dialogs, nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.games.dice import SeededDice

from .venue import PRIMS, QUICK, venue


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
    with venue(tmp_path, SeededDice(7)) as v:
        table = v.build()
        v.set_options(table, **QUICK, lives=1)
        people = v.join(table, *NAMES)
        assert len(v.hot(table).now.match.seats) == 10
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(2)
        v.play(table, people)
        assert v.region.debug == []
        assert v.region.dropped == []
        assert not v.region.errors


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
        assert ("is not allowed here" in told[0]) != allowed
        [ann] = v.join(table, "Ann")
        v.region.run(20)
        assert bool(ann.attachments) == allowed
        assert ann.dialog is not None
