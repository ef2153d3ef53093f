"""Pairing and signatures through the real scripts, at a server that others can reach."""

from __future__ import annotations

from pathlib import Path

from app import codes
from app.devices import signing
from app.table.deeds import OWNERS_CONSOLE

from . import Linkset
from .venue import QUICK, Venue, venue

OUTSIDE = {
    "host": "0.0.0.0",
    "operator_token": "an operator's own token",
    "callback_hosts": ".test",
    "callback_private": True,
}
SECRET = "gSecret"


def code(v: Venue, table_id: str = "") -> str:
    now_ms = int(v.region.clock() * 1000)
    made = codes.make(v.app.state.tables.store, "pair", str(v.owner.key), table_id, now_ms)
    return str(v.server.do(made))


def pair(v: Venue, table: Linkset, table_id: str = "") -> None:
    """The owner touches the table and types the code."""
    v.owner.touch(table)
    v.region.run(2)
    v.owner.answer_textbox(code(v, table_id))
    v.region.run(5)


def secret(table: Linkset) -> str:
    return str(table.script("link")[SECRET])


def test_an_unpaired_table_shows_it_takes_a_code_and_plays(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build()
        assert "NOT PAIRED YET" in str(table.root.text[0])
        assert sum("not paired" in line.text for line in v.owner.lines) == 1
        assert sum("This land allows all" in line.text for line in v.owner.lines) == 1
        ann = v.region.avatar("Ann")
        ann.touch(table)
        v.region.run(2)
        assert "Its owner has to touch it" in ann.lines[-1].text
        pair(v, table)
        v.same(table)
        v.set_options(table, **QUICK, lives=1)
        people = v.join(table, "Bea", "Cid")
        v.get_ready(people)
        people[0].press("Start Game")
        v.region.run(2)
        v.play(table, people)
        assert v.region.debug == []


def test_it_does_all_that_in_the_language_of_its_notecard(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build(language="es")
        assert "SIN EMPAREJAR" in str(table.root.text[0])
        ann = v.region.avatar("Ann")
        ann.touch(table)
        v.region.run(2)
        assert "Tiene que tocarla quien la posee." in ann.lines[-1].text
        pair(v, table)
        assert "Esta mesa ya está emparejada" in " ".join(line.text for line in v.owner.lines)
        v.same(table)


def test_a_wrong_code_is_said_and_asked_for_again_by_a_touch(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build()
        v.owner.touch(table)
        v.region.run(2)
        v.owner.answer_textbox("WRONGONE")
        v.region.run(2)
        assert "not a pairing code of yours" in v.owner.lines[-1].text
        pair(v, table)
        assert secret(table)
        v.same(table)


def test_the_secret_survives_resets_and_is_nowhere_to_be_read(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build()
        pair(v, table)
        before = secret(table)
        v.join(table, "Ann")
        table.script("link").reset()
        table.script("requests").reset()
        v.region.run(10)
        assert secret(table) == before
        v.same(table)
        said = [line.text for who in (v.owner,) for line in who.lines]
        said += [line.text for line in v.region.public_chat]
        said += [str(prim.text[0]) for prim in table.prims]
        assert not any(before in text for text in said)
        assert v.region.web.requests
        assert not any(before in r.url + r.body for r in v.region.web.requests)


def test_whoever_learns_the_url_changes_nothing(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build()
        pair(v, table)
        v.join(table, "Ann")
        v.set_options(table, lives=1)
        link = table.script("link")
        seq, url = int(link["gSeq"]), str(link["gUrl"])
        forged = f"S¦0¦{seq + 5}¦30\nF¦root¦start¦¦¦¦HACKED\nL¦999¦buy my stuff"
        now_s = int(v.region.clock())
        old = next(body for _, _, body in reversed(v.pushes.requests) if "\nZ¦" in body)
        later = str(int(old.rpartition("\nZ¦")[2].split("¦")[0]) + 1)
        for body in (
            forged,
            forged + f"\nZ¦{now_s}¦99¦AAAA",
            signing.stamped("0" * 64, forged, now_s, 99),
            signing.stamped(secret(table), forged, now_s - 301, 99),
            signing.stamped(secret(table), forged, now_s, 99) + "\nL¦1000¦more",
            old,
            old.replace("\nZ¦" + old.rpartition("\nZ¦")[2].split("¦")[0], "\nZ¦" + later),
        ):
            assert v.region.http_in(url, body=body).status == 403, body
            v.region.run(1)
        assert int(link["gSeq"]) == seq
        assert "HACKED" not in str(table.root.text[0])
        assert not any("stuff" in line.text for line in v.region.public_chat)
        v.same(table)


def test_a_new_owner_has_no_secret(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build()
        pair(v, table)
        before = secret(table)
        buyer = v.region.avatar("Buyer Resident")
        v.region.change_owner(table, buyer)
        v.region.run(10)
        assert secret(table) == ""
        assert before not in str(vars(table.data))
        assert "NOT PAIRED YET" in str(table.root.text[0])


def test_a_rotated_secret_is_taken_over_while_people_play(tmp_path: Path) -> None:
    with venue(tmp_path, **OUTSIDE) as v:
        table = v.build()
        pair(v, table)
        before, registry = secret(table), v.app.state.registry
        v.server.do(registry.rotate(OWNERS_CONSOLE, v.hot(table).id))
        v.join(table, "Ann", "Bob")
        v.region.run(3)
        assert secret(table) not in ("", before)
        v.join(table, "Cid")
        v.same(table)
