"""What the board shows: moments of scripted matches as text, ranking pages, HUDs, frames."""

from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.display import HIDDEN, TEXT_SETS, Frame, clip, diff, draw, drawable, row
from app.games import boards, texts
from app.games.core import Key, Rank, RankingPage
from app.games.lobby import Freeze, Kick, Leave, Lock, Unlock
from app.games.peril.words import Mark, Roll

from .driver import OWNER, SERVICE, Table, drawn, lobby_of, playing

PLATES = ("Scoreboard:0:0", "backboard:0:0")


def board(table: Table) -> dict[str, Frame]:
    """The whole board in the sizes of our own linkset."""
    return table.game.board(table.public(), table.theme, TEXT_SETS)


def shown(table: Table) -> str:
    """The board as text, without the plates and the ranking, which stay the same in a match."""
    frames = board(table)
    return draw({n: f for n, f in frames.items() if n not in (*PLATES, "Leaderboard")})


def text(expected: str) -> str:
    return dedent(expected).strip("\n")


# ---- moments of a match ---------------------------------------------------------------------


def test_an_empty_table_as_a_whole() -> None:
    assert draw(board(lobby_of())) == text(
        r"""
        root             start 'PERIL DICE\nTouch to play\n0 of 10 at the table'
        Scoreboard:0:0   blank tint 0,0,0
        backboard:0:0    blank tint 0,0,0
        TitleAction:0:0  title
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Leaderboard     |                        |
        Status          |    JOIN THE PERIL!     |
        Status          |   0/10 at the table    |
        Dice            |                                |
        """
    )


def test_players_and_a_bot_in_the_lobby() -> None:
    table = lobby_of("ann", "bob", lives=2)
    table.bots(1)
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nTouch to play\n3 of 10 at the table'
        TitleAction:0:0  title
        profile:0:0      silhouette
        life:0:0         hearts_2
        profile:0:1      silhouette
        life:0:1         hearts_2
        profile:1:0      robot
        life:1:0         hearts_2
        Status          |    JOIN THE PERIL!     |
        Status          |   3/10 at the table    |
        Dice            |                                |
        """
    )


def test_who_leaves_the_lobby_frees_the_slot_and_later_ones_move_up() -> None:
    table = lobby_of("ann", "bob")
    table.bots(1)
    table.do(OWNER, Kick(Key("ann")))
    frames = board(table)
    pictures = [frames[f"profile:{r}:{c}"].picture for r in range(5) for c in range(2)]
    assert pictures == ["silhouette", "robot", *[""] * 8]
    assert frames["profile:1:0"] == frames["life:1:0"] == frames["overlay:1:0"] == HIDDEN


def test_a_locked_lobby() -> None:
    table = lobby_of("ann")
    table.do(OWNER, Lock())
    assert shown(table) == text(
        r"""
        root             start '🔒 GAME LOCKED'
        TitleAction:0:0  title
        profile:0:0      silhouette
        life:0:0         hearts_3
        Status          |      TABLE LOCKED      |
        Status          |      by its owner      |
        Dice            |                                |
        """
    )
    table.do(OWNER, Unlock())
    assert "LOCKED" not in shown(table)


def test_the_lock_is_shown_as_long_as_the_table_is_locked() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(OWNER, Lock())
    assert board(table)["root"].text == "🔒 GAME LOCKED\nPERIL DICE\nGAME IN PROGRESS\n2 still in"
    table.do("bob", Leave())
    assert board(table)["root"].text == "🔒 GAME LOCKED\nPERIL DICE\n🏆 Ann"
    table.run_out()
    assert board(table.reopened())["root"].text == "🔒 GAME LOCKED"


def test_the_draw() -> None:
    assert shown(drawn("ann", "bob", peril="bob", bots=1)) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n3 still in'
        TitleAction:0:0  peril_selected
        profile:0:0      silhouette
        life:0:0         hearts_3
        profile:0:1      silhouette tint 1,1,0 glow 0.2
        life:0:1         hearts_3 tint 1,1,0 glow 0.2
        profile:1:0      robot
        life:1:0         hearts_3
        Status          |        IN PERIL        |
        Status          |          Bob           |
        Dice            |                                |
        """
    )


def test_picking() -> None:
    table = playing("ann", "bob", peril="bob", bots=1)
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n3 still in'
        TitleAction:0:0  peril_selected
        profile:0:0      silhouette
        life:0:0         hearts_3
        profile:0:1      silhouette tint 1,1,0 glow 0.2
        life:0:1         hearts_3 tint 1,1,0 glow 0.2
        profile:1:0      robot
        life:1:0         hearts_3
        Status          |    PICKING NUMBERS     |
        Status          |          Bob           |
        Dice            |   The die of this round: d12   |
        """
    )


def test_the_status_says_whose_turn_it_is() -> None:
    table = playing("ann", "bob", peril="bob", bots=1)
    table.picks(bob=[1])
    assert board(table)["Status"].rows == (
        "    PICKING NUMBERS     ",
        "          Ann           ",
    )
    table.picks(ann=[2])
    assert board(table)["Status"].rows == (
        "    BOTS CALCULATING    ",
        "          Bot1          ",
    )
    table.dice.then(pick=[(3,)])
    table.tick()
    assert board(table)["Status"].rows == (
        "    DICE IN THE AIR!    ",
        "          Bob           ",
    )


def test_what_is_chosen_in_the_dialog_is_not_shown() -> None:
    table = playing("ann", "bob", peril="ann")
    before = board(table)
    table.do("ann", Mark(3))
    assert diff(before, board(table)) == {}


def test_the_roll() -> None:
    table = playing("ann", "bob", "cid", peril="bob")
    table.picks(bob=[1], ann=[2], cid=[3])
    table.dice.then(roll=[2])
    table.do("bob", Roll())
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n3 still in'
        TitleAction:0:0  title
        profile:0:0      silhouette
        life:0:0         hearts_3
        profile:0:1      silhouette tint 1,1,0 glow 0.2
        life:0:1         hearts_3 tint 1,1,0 glow 0.2
        profile:1:0      silhouette
        life:1:0         hearts_3
        Status          |     DICE SETTLED!      |
        Status          |          Bob           |
        Dice            |      Bob: rolled 2 of d12      |
        """
    )


def test_a_plot_twist() -> None:
    table = playing("ann", "bob", "cid", peril="bob")
    table.picks(bob=[1], ann=[2], cid=[3])
    table.roll(2)
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n3 still in'
        TitleAction:0:0  plot_twist
        profile:0:0      silhouette tint 1,1,0 glow 0.2
        life:0:0         hearts_3 tint 1,1,0 glow 0.2
        profile:0:1      silhouette
        life:0:1         hearts_3
        profile:1:0      silhouette
        life:1:0         hearts_3
        Status          |      PLOT TWIST!       |
        Status          |          Ann           |
        Dice            |      Bob: rolled 2 of d12      |
        """
    )


def test_a_direct_hit() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[1], bob=[2])
    table.roll(1)
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n2 still in'
        TitleAction:0:0  direct_hit
        profile:0:0      silhouette tint 1,1,0 glow 0.2
        life:0:0         hearts_2 tint 1,1,0 glow 0.2
        profile:0:1      silhouette
        life:0:1         hearts_3
        Status          |      DIRECT HIT!       |
        Status          |          Ann           |
        Dice            |      Ann: rolled 1 of d6       |
        """
    )


def test_no_shield() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[1], bob=[2])
    table.roll(6)
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n2 still in'
        TitleAction:0:0  no_shield
        profile:0:0      silhouette tint 1,1,0 glow 0.2
        life:0:0         hearts_2 tint 1,1,0 glow 0.2
        profile:0:1      silhouette
        life:0:1         hearts_3
        Status          |       NO SHIELD!       |
        Status          |          Ann           |
        Dice            |      Ann: rolled 6 of d6       |
        """
    )


def test_the_large_picture_goes_back_to_the_title_while_everybody_waits() -> None:
    table = playing("ann", "bob", peril="ann")
    table.picks(ann=[1], bob=[2])
    table.roll(6)
    table.until("picking")
    assert board(table)["TitleAction:0:0"] == Frame(picture="no_shield")
    table.wait(8)
    assert board(table)["TitleAction:0:0"] == Frame(picture="title")


def test_one_who_fled_is_crossed_out_at_once() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    table.do("cid", Leave())
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n2 still in'
        TitleAction:0:0  punishment
        profile:0:0      silhouette tint 1,1,0 glow 0.2
        life:0:0         hearts_3 tint 1,1,0 glow 0.2
        profile:0:1      silhouette
        life:0:1         hearts_3
        profile:1:0      silhouette tint 1,0.3,0.3
        life:1:0         hearts_0
        overlay:1:0      overlay_x
        Status          |    PICKING NUMBERS     |
        Status          |          Ann           |
        Dice            |   The die of this round: d12   |
        """
    )


def test_no_hearts_then_the_red_x_then_the_victory() -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    table.picks(ann=[1, 2, 3], bob=[4, 5, 6])
    table.roll(1)
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n2 still in'
        TitleAction:0:0  direct_hit
        profile:0:0      silhouette tint 1,1,0 glow 0.2
        life:0:0         hearts_0 tint 1,1,0 glow 0.2
        profile:0:1      silhouette
        life:0:1         hearts_1
        Status          |      DIRECT HIT!       |
        Status          |          Ann           |
        Dice            |      Ann: rolled 1 of d6       |
        """
    )
    table.until("eliminated")
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n1 still in'
        TitleAction:0:0  elimination
        profile:0:0      silhouette tint 1,0.3,0.3
        life:0:0         hearts_0
        overlay:0:0      overlay_x
        profile:0:1      silhouette
        life:0:1         hearts_1
        Status          |     PLAYER STRUCK!     |
        Status          |          Ann           |
        Dice            |      Ann: rolled 1 of d6       |
        """
    )
    table.until("victory")
    assert shown(table) == text(
        r"""
        root             start confetti 'PERIL DICE\n🏆 Bob'
        TitleAction:0:0  victory
        profile:0:0      silhouette tint 1,0.3,0.3
        life:0:0         hearts_0
        overlay:0:0      overlay_x
        profile:0:1      silhouette tint 0,1,0 glow 0.3
        life:0:1         hearts_1 tint 0,1,0 glow 0.3
        Status          |   ULTIMATE VICTORY!    |
        Status          |      === Bob ===       |
        Dice            |  Bob is the Ultimate Survivor  |
        """
    )


def test_green_beats_yellow_when_the_peril_player_wins() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do("bob", Leave())
    frames = board(table)
    assert table.public().seats[0].in_peril
    for part in ("profile", "life"):
        assert frames[f"{part}:0:0"].color == (0, 1, 0)
        assert frames[f"{part}:0:0"].glow == 0.3


def test_confetti_falls_only_for_the_victory() -> None:
    table = drawn("ann", "bob", peril="ann", lives=1)
    effects = {"drawn": board(table)["root"].effect}
    table.until("picking")
    table.picks_all()
    table.dice.then(roll=[1])
    table.do("ann", Roll())
    for stage in ("rolled", "outcome", "eliminated", "victory"):
        table.until(stage)
        effects[stage] = board(table)["root"].effect
    assert [s for s, effect in effects.items() if effect] == ["victory"]
    table.run_out()
    assert not board(table.reopened())["root"].effect


def test_after_an_elimination_the_die_of_the_old_round_is_gone() -> None:
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    table.dice.then(peril=["cid"])
    table.until("drawn")
    assert shown(table) == text(
        r"""
        root             start 'PERIL DICE\nGAME IN PROGRESS\n2 still in'
        TitleAction:0:0  peril_selected
        profile:0:0      silhouette tint 1,0.3,0.3
        life:0:0         hearts_0
        overlay:0:0      overlay_x
        profile:0:1      silhouette
        life:0:1         hearts_1
        profile:1:0      silhouette tint 1,1,0 glow 0.2
        life:1:0         hearts_1 tint 1,1,0 glow 0.2
        Status          |        IN PERIL        |
        Status          |          Cid           |
        Dice            |                                |
        """
    )


def test_a_frozen_table() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do(SERVICE, Freeze("restart"))
    assert shown(table) == text(
        r"""
        root             start '⏸️ The game waits for the table'
        TitleAction:0:0  peril_selected
        profile:0:0      silhouette tint 1,1,0 glow 0.2
        life:0:0         hearts_3 tint 1,1,0 glow 0.2
        profile:0:1      silhouette
        life:0:1         hearts_3
        Status          |     THE GAME WAITS     |
        Status          |     for the table      |
        Dice            |   The die of this round: d6    |
        """
    )


def test_a_full_table_uses_all_slots_in_join_order() -> None:
    table = lobby_of("ann")
    table.bots(9)
    frames = board(table)
    pictures = [frames[f"profile:{r}:{c}"].picture for r in range(5) for c in range(2)]
    assert pictures == ["silhouette", *["robot"] * 9]
    assert board(table)["Status"].rows[1].strip() == "10/10 at the table"


def test_prims_that_the_linkset_lacks_only_leave_out_what_they_show() -> None:
    table = playing("ann", "bob", peril="ann")
    everything = board(table)
    without = table.game.board(table.public(), table.theme, {"Dice": (32, 1)})
    assert without == {n: f for n, f in everything.items() if n not in ("Leaderboard", "Status")}


# ---- HUDs -----------------------------------------------------------------------------------


def hud(table: Table, name: str) -> Frame:
    private = table.game.private(table.match, Key(name))
    return table.game.hud(table.public(), private, table.theme)


def test_a_hud_shows_game_player_peril_picks_and_hearts() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    assert hud(table, "bob") == Frame(
        picture="hearts_2", text="PERIL DICE\nBob\nIn peril: Ann\nNo numbers yet"
    )
    assert hud(table, "ann") == Frame(
        picture="hearts_2",
        color=(1, 1, 0),
        glow=0.2,
        text="PERIL DICE\nAnn\n⚠️ YOU ARE IN PERIL\nNo numbers yet",
    )
    table.picks(ann=[6, 2])
    assert "Numbers: 2, 6" in hud(table, "ann").text


def test_a_hud_shows_its_player_alone_what_is_chosen_in_the_dialog() -> None:
    table = playing("ann", "bob", peril="ann", lives=2)
    table.do("ann", Mark(4))
    assert "Numbers: 4" in hud(table, "ann").text
    assert "4" not in hud(table, "bob").text


def test_a_hud_in_the_lobby_and_while_fate_chooses() -> None:
    assert hud(lobby_of("ann"), "ann").text == "PERIL DICE\nAnn\nWaiting for the game"
    table = playing("ann", "bob", "cid", peril="ann", lives=1)
    table.strike("ann")
    table.until("eliminated")
    assert hud(table, "bob").text.split("\n")[2] == "Fate is choosing"


def test_the_hud_of_somebody_out_is_red_until_the_end() -> None:
    table = playing("ann", "bob", "cid", peril="ann")
    for name in ("cid", "bob"):
        table.do(name, Leave())
        frame = hud(table, "cid")
        assert frame.picture == "hearts_0"
        assert frame.color == (1, 0, 0)
        assert frame.text == "PERIL DICE\nCid\n💀 ELIMINATED"


def test_the_hud_of_the_winner_is_green_and_says_so() -> None:
    table = playing("ann", "bob", peril="ann")
    table.do("bob", Leave())
    frame = hud(table, "ann")
    assert (frame.color, frame.glow) == ((0, 1, 0), 0.3)
    assert frame.text.startswith("✨ ULTIMATE VICTORY! ✨\n🏆 ULTIMATE SURVIVOR 🏆\nAnn")


def test_a_hud_says_when_a_bot_plays() -> None:
    table = playing("ann", "bob", peril="ann", afk_limit=1)
    table.dice.then(pick=[(1,)])
    table.wait(120)
    assert hud(table, "ann").text.endswith("🤖 a bot plays for you: touch")


# ---- ranking --------------------------------------------------------------------------------


def page_of(entries: int, page: int, name: str = "Player", length: int = 10) -> RankingPage:
    ranks = [Rank(n, Key(f"k{n}"), f"{name} {n}", 100 - n, n) for n in range(1, entries + 1)]
    pages = max(1, -(-entries // length))
    return RankingPage(tuple(ranks[page * length : (page + 1) * length]), page, pages)


def rank_rows(size: tuple[int, int], page: RankingPage) -> list[str]:
    return list(boards.ranking(size, page, texts.load("peril")).rows)


# PB-203: 23 entries stand on three pages, with arrows only where there is another one.


def test_the_first_of_three_pages_has_an_arrow_on() -> None:
    assert rank_rows((24, 10), page_of(23, 0)) == [
        " 1. Player 1       99/1 ",
        " 2. Player 2       98/2 ",
        " 3. Player 3       97/3 ",
        " 4. Player 4       96/4 ",
        " 5. Player 5       95/5 ",
        " 6. Player 6       94/6 ",
        " 7. Player 7       93/7 ",
        " 8. Player 8       92/8 ",
        " 9. Player 9       91/9 ",
        "10. Player 10     90/10→",
    ]


def test_the_page_between_has_both_arrows() -> None:
    rows = rank_rows((24, 10), page_of(23, 1))
    assert rows[0] == "11. Player 11     89/11←"
    assert rows[9] == "20. Player 20     80/20→"
    assert "".join(rows).count("→") == "".join(rows).count("←") == 1


def test_the_last_page_has_an_arrow_back_and_empty_rows() -> None:
    assert rank_rows((24, 10), page_of(23, 2)) == [
        "21. Player 21     79/21←",
        "22. Player 22     78/22 ",
        "23. Player 23     77/23 ",
        *[" " * 24] * 7,
    ]


def test_a_single_page_has_no_arrows() -> None:
    for entries in (0, 3, 10):
        text = "".join(rank_rows((24, 10), page_of(entries, 0)))
        assert "→" not in text
        assert "←" not in text


def test_a_larger_set_has_a_heading_and_a_foot() -> None:
    rows = rank_rows((32, 12), page_of(23, 1))
    assert rows[0].strip() == "RANKING"
    assert rows[1] == "11. Player 11              89/11"
    assert rows[10] == "20. Player 20              80/20"
    assert rows[11] == "           ←  2/3  →            "
    assert rank_rows((32, 12), page_of(23, 0))[11].split() == ["1/3", "→"]
    assert rank_rows((32, 12), page_of(23, 2))[11].split() == ["←", "3/3"]


def test_a_smaller_set_shows_as_much_as_it_can() -> None:
    assert rank_rows((14, 3), page_of(23, 1, length=3)) == [
        " 4. Pla… 96/4←",
        " 5. Pla… 95/5 ",
        " 6. Pla… 94/6→",
    ]


def test_a_single_row_has_one_arrow_which_says_whether_it_goes_on() -> None:
    rows = [rank_rows((14, 1), page_of(3, page, length=1)) for page in range(3)]
    assert [row[-1] for (row,) in rows] == ["→", "→", "←"]


@pytest.mark.parametrize(("rows", "length"), [(1, 1), (3, 3), (9, 9), (10, 10), (11, 10), (40, 10)])
def test_a_page_of_the_ranking_has_no_more_than_its_set_shows(rows: int, length: int) -> None:
    assert boards.page_rows((24, rows)) == length
    seen = "".join(rank_rows((24, rows), page_of(40, 0, length=length)))
    assert [f"Player {n} " in seen for n in range(1, length + 2)] == [True] * length + [False]


@pytest.mark.parametrize(
    "name",
    ["👩‍🚀 Zoë", "Анна Каренина", "漢字漢字漢字漢字漢字漢字漢字", "<!c=red>X", "e\u0301" * 9, "\t"],
)
@pytest.mark.parametrize("size", [(24, 10), (32, 12), (10, 3), (1, 1)])
def test_no_name_changes_the_width_of_a_row(name: str, size: tuple[int, int]) -> None:
    columns, rows = size
    for page in range(3):
        shown_rows = rank_rows(size, page_of(23, page, name))
        assert [len(cells) for cells in shown_rows] == [columns] * rows


@pytest.mark.parametrize(
    ("size", "cell", "turned"),
    [
        ((24, 10), (23, 9), (1, 2, None)),
        ((24, 10), (0, 5), (1, 2, None)),
        ((24, 10), (23, 0), (None, 0, 1)),
        ((24, 10), (0, 4), (None, 0, 1)),
        ((32, 12), (31, 0), (1, 2, None)),
        ((32, 12), (16, 11), (1, 2, None)),
        ((32, 12), (15, 11), (None, 0, 1)),
        ((32, 12), (0, 0), (None, 0, 1)),
        ((24, 1), (23, 0), (1, 2, None)),
        ((24, 1), (0, 0), (None, 0, 1)),
    ],
)
def test_a_touch_beside_an_arrow_turns_the_page(
    size: tuple[int, int], cell: tuple[int, int], turned: tuple[int | None, ...]
) -> None:
    found = tuple(boards.ranking_turn(size, page_of(23, page), *cell) for page in range(3))
    assert found == turned


def test_the_page_that_is_shown_stands_on_the_board() -> None:
    table = lobby_of()
    view = table.public(page_of(23, 2))
    frames = table.game.board(view, table.theme, TEXT_SETS)
    assert frames["Leaderboard"].rows[0] == "21. Player 21     79/21←"


@pytest.mark.parametrize(
    ("wins", "losses", "rate"), [(0, 0, 0.0), (3, 1, 0.75), (0, 5, 0.0), (2, 0, 1.0)]
)
def test_the_win_rate_is_the_share_of_matches_won(wins: int, losses: int, rate: float) -> None:
    assert Rank(1, Key("k"), "K", wins, losses).rate == rate


# ---- text in cells and bytes ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_text", "cells"),
    [
        ("Zoë Çelik", "Zoë Çelik"),
        ("e\u0301", "é"),
        ("Ωmega", "?mega"),
        ("Анна", "????"),
        ("漢字", "??"),
        ("👩‍🚀", "??"),
        ("❤️", "?"),
        ("ﬁn", "fn"),
        ("Ａｎｎ", "Ann"),
        ("a\u00a0b\tc", "a b c"),
        ("ǅ Ł", "D ?"),
        ("<!c=red>", "<!c=red>"),
    ],
)
def test_a_text_mesh_draws_each_character_in_one_cell(given_text: str, cells: str) -> None:
    assert drawable(given_text) == cells


@pytest.mark.parametrize(
    ("given_text", "columns", "align", "cells"),
    [
        ("Ann", 6, "left", "Ann   "),
        ("Ann", 7, "center", "  Ann  "),
        ("Annabel", 7, "left", "Annabel"),
        ("Annabella", 7, "left", "Annabe…"),
        ("Annabella", 7, "center", "Annabe…"),
        ("Ann", 1, "left", "A"),
        ("", 3, "center", "   "),
        ("漢字", 4, "left", "??  "),
    ],
)
def test_a_row_is_cut_and_filled_to_its_columns(
    given_text: str, columns: int, align: Any, cells: str
) -> None:
    assert row(given_text, columns, align) == cells


@given(st.text(), st.integers(1, 40), st.sampled_from(["left", "center"]))
def test_a_row_has_exactly_its_columns_whatever_it_shows(
    given_text: str, columns: int, align: Any
) -> None:
    cells = row(given_text, columns, align)
    assert len(cells) == columns
    assert drawable(cells) == cells


@pytest.mark.parametrize(
    ("given_text", "budget", "kept"),
    [
        ("Ann", 3, "Ann"),
        ("Anna", 3, "…"),
        ("Annabel", 6, "Ann…"),
        ("äääää", 9, "äää…"),
        ("äääää", 8, "ää…"),
        ("👩👩", 7, "👩…"),
        ("👩👩", 6, "…"),
        ("Anna", 2, "An"),
        ("漢", 2, ""),
        ("Anna", 0, ""),
    ],
)
def test_a_text_is_clipped_between_characters(given_text: str, budget: int, kept: str) -> None:
    assert clip(given_text, budget) == kept


@given(st.text(st.characters(exclude_categories=["Cs"])), st.integers(0, 60))
def test_a_clipped_text_fits_its_bytes(given_text: str, budget: int) -> None:
    kept = clip(given_text, budget)
    assert len(kept.encode()) <= budget
    assert kept == given_text or given_text.startswith(kept.removesuffix("…"))
    assert kept == given_text or len(given_text.encode()) > budget


# ---- frames ---------------------------------------------------------------------------------


def test_the_difference_of_boards_is_what_has_to_be_painted() -> None:
    old = {"a": Frame(picture="x"), "b": Frame(picture="y"), "c": Frame()}
    new = {"a": Frame(picture="x"), "b": Frame(picture="z"), "d": Frame(text="new")}
    assert diff(old, new) == {"b": Frame(picture="z"), "d": Frame(text="new"), "c": HIDDEN}
    assert diff(old, old) == {}
    assert diff({}, old) == old


def test_the_changes_of_a_match_lead_from_one_board_to_the_next() -> None:
    table = playing("ann", "bob", peril="ann", lives=1)
    painted = board(table)
    table.strike("ann")
    for stage in ("outcome", "eliminated", "victory"):
        table.until(stage)
        painted |= diff(painted, board(table))
        assert painted == board(table)


def test_a_text_set_is_filled_up_and_cut_to_its_rows() -> None:
    assert boards.text((4, 3), ["a", "b"], (1, 1, 1)).rows == (" a  ", " b  ", "    ")
    assert boards.text((4, 1), ["a", "b"], (1, 1, 1), center=False).rows == ("a   ",)


def test_a_board_as_text_leaves_out_what_is_invisible() -> None:
    frames = {
        "a": HIDDEN,
        "b": Frame(),
        "c": Frame(picture="p", color=(1, 0.5, 0), glow=0.2, effect="confetti", text="x\ny"),
        "d": Frame(rows=("12", "34")),
    }
    assert draw(frames) == text(
        r"""
        b                plain
        c                p tint 1,0.5,0 glow 0.2 confetti 'x\ny'
        d               |12|
        d               |34|
        """
    )
