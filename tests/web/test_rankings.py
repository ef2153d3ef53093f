"""The pages about rankings and players, as the server makes them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from sqlmodel import Session

from app.main import create_app
from app.players import Result
from app.settings import Settings
from app.table.database import open_log
from app.table.log import folded
from app.table.models import MatchRow, PersonRow, RecordRow, ResultRow, TableRow
from app.web import plot

NOW_MS = 1_780_000_000_000
DAY_MS = 86_400_000
NAMES = ["Ines Varga", "Zoë <b>夢</b>", "100%_sure", *(f"Guest {n}" for n in range(9))]
HIDDEN = "Secret Sam"


def key(name: str) -> str:
    number = [*NAMES, HIDDEN].index(name)
    return f"00000000-0000-4000-8000-{number:012}"


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Two tables, one of them listed; Ines has won two matches of three at the listed one."""
    folder = tmp_path_factory.mktemp("data")
    store = open_log(folder / "peril.db")
    app = create_app(Settings(data_dir=folder), store)
    with TestClient(app) as http:
        assert http.portal is not None
        made = [
            http.portal.call(app.state.tables.create, name, "o" * 36, "Olga").id
            for name in ("The <Rooftop>", "Cellar")
        ]
        http.tables = made  # type: ignore[attr-defined]
        http.portal.call(store.run, lambda session: _seed(session, *made))
        yield http


def _seed(session: Session, rooftop: str, cellar: str) -> None:
    session.get_one(TableRow, rooftop).listed = True
    for number, ago in ((2, 30), (3, 1)):
        session.add(_match(rooftop, number, NOW_MS - ago * DAY_MS))
    session.get_one(MatchRow, f"{rooftop}-1").closed_ms = NOW_MS - 60 * DAY_MS
    session.add(_match(cellar, 4, NOW_MS))
    matches = [
        (rooftop, 60, "Ines Varga", [*NAMES[1:], HIDDEN]),
        (rooftop, 30, "Ines Varga", NAMES[1:2]),
        (rooftop, 1, "Zoë <b>夢</b>", NAMES[:1]),
        (cellar, 0, "100%_sure", [HIDDEN]),
    ]
    records: dict[tuple[str, str], RecordRow] = {}
    for number, (table, ago, winner, losers) in enumerate(matches, 1):
        at_ms = NOW_MS - ago * DAY_MS
        for name in (winner, *losers):
            who = key(name)
            row = ResultRow(match_id=f"{table}-{number}", key=who, table_id=table, game="peril")
            row.won, row.at_ms = name == winner, at_ms
            session.add(row)
            for scope in (table, ""):
                kept = records.setdefault(
                    (scope, who), RecordRow(scope=scope, game="peril", key=who, name=name)
                )
                kept.wins += name == winner
                kept.losses += name != winner
                kept.reached_ms, kept.folded = at_ms, folded(name)
    for name, part in ((NAMES[-1], "seer/villagers"), (NAMES[-2], "wolf/wolves")):
        who, won = key(name), name == NAMES[-1]
        row = ResultRow(match_id="w-1", key=who, table_id="w", game="werewolf", won=won, part=part)
        row.at_ms = NOW_MS
        session.add(row)
        kept = RecordRow(scope="", game="werewolf", key=who, name=name, wins=won, losses=not won)
        kept.reached_ms = NOW_MS
        records["", f"{who} {part}"] = kept
    session.add_all(records.values())
    session.add(PersonRow(key=key(HIDDEN), hidden=True))
    session.commit()


def _match(table: str, number: int, at_ms: int) -> MatchRow:
    row = MatchRow(id=f"{table}-{number}", table_id=table, game="peril", number=number)
    row.first_seq, row.opened_ms, row.closed_ms = number, at_ms, at_ms
    return row


def rows(page: str) -> list[list[str]]:
    """The cells of a page's first table, as text."""
    body = page.split("<tbody>")[1].split("</tbody>", maxsplit=1)[0]
    return [
        [re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[dh][ >].*?</t[dh]>", row)]
        for row in re.findall(r"<tr.*?</tr>", body)
    ]


def named(page: str) -> list[str]:
    return [row[1] for row in rows(page)] if "<tbody>" in page else []


# ---- rankings -------------------------------------------------------------------------------


def test_the_ranking_has_places_names_and_rates_ten_to_a_page(http: TestClient) -> None:
    page = http.get("/rankings").text
    assert rows(page)[0] == ["1", "Ines Varga", "2", "1", "67 %"]
    assert len(rows(page)) == 10
    assert 'rel="next"' in page
    second = http.get("/rankings?game=peril&page=2").text
    assert [row[0] for row in rows(second)] == ["11", "12"]
    assert 'rel="prev"' in second


def test_a_season_is_chosen_from_those_that_were_played(http: TestClient) -> None:
    page = http.get("/rankings").text
    offered = re.findall(r'<option value="([^"]*)"', page)
    assert len(offered) == 4
    assert offered[0] == ""
    assert f'<option value="{offered[1]}">May 2026</option>' in page
    last = http.get(f"/rankings?season={offered[-1]}").text
    assert rows(last)[0] == ["1", "Ines Varga", "1", "0", "100 %"]
    for odd in ("2019-01", "x", "2026-13", "0000-00"):
        assert rows(http.get(f"/rankings?season={odd}").text) == rows(page)


def test_a_game_with_roles_ranks_those_who_had_one(http: TestClient) -> None:
    page = http.get("/rankings?game=werewolf").text
    options = re.findall(r'<option value="([^"]*/[^"]*)">([^<]*)', page)
    assert options == [
        ("seer/", "Seer"),
        ("wolf/", "Wolf"),
        ("/villagers", "the villagers"),
        ("/wolves", "the wolves"),
    ]
    assert named(page) == [NAMES[-1], NAMES[-2]]
    assert named(http.get("/rankings?game=werewolf&part=wolf/").text) == [NAMES[-2]]
    assert named(http.get("/rankings?game=werewolf&part=/villagers").text) == [NAMES[-1]]
    assert named(http.get("/rankings?game=werewolf&part=%25/").text) == [NAMES[-1], NAMES[-2]]
    assert "Lobo" in http.get("/rankings?game=werewolf", headers={"accept-language": "es"}).text
    told = http.get("/api/v1/rankings?game=werewolf&part=/wolves").json()
    assert [row["name"] for row in told["rows"]] == [NAMES[-2]]
    assert told["parts"] == ["seer/", "wolf/", "/villagers", "/wolves"]
    assert http.get("/api/v1/rankings?game=werewolf&part=%25").status_code == 422
    assert 'name="part"' not in http.get("/rankings?game=peril").text


def test_a_search_finds_parts_of_names_at_their_places(http: TestClient) -> None:
    assert rows(http.get("/rankings?search=ZOË").text)[0][:2] == ["3", "Zoë &lt;b&gt;夢&lt;/b&gt;"]
    assert named(http.get("/rankings?search=%25_").text) == ["100%_sure"]
    nobody = http.get("/rankings?search=<script>").text
    assert "has this in the name: “<bdi>&lt;script&gt;</bdi>”" in nobody
    for odd in ("%00", "%ed%a0%80", "a" * 5000, "%F0%9F%8E%B2"):
        assert http.get(f"/rankings?search={odd}").status_code == 200


def test_a_table_has_a_ranking_of_its_own(http: TestClient) -> None:
    _, cellar = http.tables  # type: ignore[attr-defined]
    page = http.get(f"/t/{cellar}/ranking").text
    assert named(page) == ["100%_sure"]
    assert "Cellar" in page
    assert http.get("/t/nowhere/ranking").status_code == 404
    assert http.get(f"/t/{cellar}/ranking?game=chess").status_code == 404


def test_a_game_that_nobody_has_finished_says_so(http: TestClient) -> None:
    page = http.get("/rankings?game=roulette").text
    assert "Nobody has won or lost a match here yet." in page


@pytest.mark.parametrize("page", ["0", "-1", "99", "x", "9" * 300, "²"])
def test_whatever_page_is_asked_for_there_is_one(http: TestClient, page: str) -> None:
    assert rows(http.get("/rankings", params={"page": page}).text)


# ---- players --------------------------------------------------------------------------------


def test_a_player_has_figures_a_plot_rivals_and_matches(http: TestClient) -> None:
    page = http.get(f"/p/{key('Ines Varga')}").text
    figures = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    assert figures == {
        "Won": "2",
        "Lost": "1",
        "Rate": "67 %",
        "In a row now": "0",
        "Longest streak": "2",
    }
    assert 'role="img" aria-labelledby="plot-text"' in page
    assert "2 won, 1 lost. Wins less losses were +2 at best, 0 at worst, and are +1 now." in page
    assert rows(page)[0] == ["Zoë &lt;b&gt;夢&lt;/b&gt;", "3", "2", "1"]
    rooftop, _ = http.tables  # type: ignore[attr-defined]
    assert re.findall(r'href="/m/([^"]*)"', page) == [f"{rooftop}-{n}" for n in (3, 2, 1)]


def test_who_hides_is_nowhere(http: TestClient) -> None:
    assert http.get(f"/p/{key(HIDDEN)}").status_code == 404
    assert http.get(f"/api/v1/players/{key(HIDDEN)}").status_code == 404
    for path in ("/rankings?search=secret", "/rankings?page=2", f"/p/{key('100%_sure')}"):
        page = http.get(path).text
        assert key(HIDDEN) not in page
        assert HIDDEN not in page


def test_a_hidden_player_and_an_unknown_one_look_the_same(http: TestClient) -> None:
    hidden, unknown = (http.get(f"/p/{k}") for k in (key(HIDDEN), "nobody"))
    assert (hidden.status_code, hidden.text) == (unknown.status_code, unknown.text)


def test_the_page_of_a_player_leads_to_no_table_that_is_not_listed(http: TestClient) -> None:
    _, cellar = http.tables  # type: ignore[attr-defined]
    page = http.get(f"/p/{key('100%_sure')}").text
    assert '<span class="unlisted">Peril Dice</span>' in page
    assert cellar not in page
    assert "Cellar" not in page
    assert cellar not in http.get(f"/api/v1/players/{key('100%_sure')}").text


def test_rankings_and_players_speak_what_the_visitor_likes(http: TestClient) -> None:
    spanish = {"Accept-Language": "es"}
    page = http.get("/rankings", headers=spanish).text
    assert ">mayo 2026</option>" in page
    assert "Clasificación" in page
    page = http.get(f"/p/{key('Ines Varga')}", headers=spanish).text
    assert "2 ganadas, 1 perdidas. Victorias menos derrotas: +2 como mucho" in page
    assert "Cara a cara" in page


# ---- the front page -------------------------------------------------------------------------


def test_the_front_page_has_listed_tables_their_latest_matches_and_the_best(
    http: TestClient,
) -> None:
    """What happened at a table that is not listed counts, but does not lead there."""
    rooftop, cellar = http.tables  # type: ignore[attr-defined]
    page = http.get("/").text
    assert f'href="/t/{rooftop}"' in page
    assert re.findall(r'href="/m/([^"]*)"', page) == [f"{rooftop}-{n}" for n in (3, 2, 1)]
    assert "won by" in page
    assert rows(page)[0] == ["1", "Ines Varga", "2", "1"]
    assert len(rows(page)) == 10
    assert cellar not in page
    assert HIDDEN not in page
    latest = http.get("/api/v1/matches?limit=1").json()
    assert [(m["match"], m["winner"], m["players"]) for m in latest] == [
        (f"{rooftop}-3", "Zoë <b>夢</b>", 2)
    ]


def test_a_winner_who_hides_is_not_named(http: TestClient) -> None:
    def hide(hidden: bool) -> None:
        def write(session: Session) -> None:
            row = PersonRow(key=key("Ines Varga"), hidden=hidden)
            session.merge(row)
            session.commit()

        assert http.portal is not None
        http.portal.call(http.app.state.tables.store.run, write)  # type: ignore[attr-defined]

    hide(True)
    page = http.get("/").text
    hide(False)
    assert "Ines" not in page
    assert "13 players" in page
    assert "Ines" in http.get("/").text


# ---- the plot -------------------------------------------------------------------------------


def results(*won: bool, days: float = 1) -> list[Result]:
    return [Result("peril", one, NOW_MS + int(i * days * DAY_MS)) for i, one in enumerate(won)]


def test_a_plot_goes_a_step_up_for_each_win_and_down_for_each_loss() -> None:
    made = plot.of(results(True, True, False))
    heights = [float(y) for y in re.findall(r"V([\d.]+)", made.line)]
    assert heights[0] > heights[1] < heights[2] == heights[0]
    assert [mark.won for mark in made.marks] == [True, True, False]
    assert [tick.text for tick in made.across] == ["0", "+1", "+2"]


@pytest.mark.parametrize("count", [1, 2, 20])
def test_the_last_match_is_at_the_right_of_a_plot_however_few_there_are(count: int) -> None:
    """A single one does not hide on the line at the left."""
    made = plot.of(results(*[True] * count, days=0.01))
    assert made.marks[-1].x == made.right
    assert made.line.startswith(f"M{made.left} ")


@pytest.mark.parametrize("days", [0, 0.01, 1, 10, 400])
@pytest.mark.parametrize("count", [1, 2, 500])
def test_everything_of_a_plot_lies_in_its_frame(count: int, days: float) -> None:
    made = plot.of(results(*(i % 3 == 0 for i in range(count)), days=days))
    for x, y in re.findall(r"H([\d.]+)V([\d.]+)", made.line):
        assert made.left <= float(x) <= made.right
        assert made.top <= float(y) <= made.bottom
    assert all(made.top <= tick.at <= made.bottom for tick in made.across)
    assert all(made.left <= tick.at <= made.right for tick in made.upright)
    assert 1 <= len(made.across) <= 6
    assert len(made.upright) <= 7


def test_a_plot_of_thousands_of_matches_stays_small() -> None:
    made = plot.of(results(*(i % 2 == 0 for i in range(20_000)), days=0.01))
    assert len(made.line) < 12_000
    assert made.marks == ()
