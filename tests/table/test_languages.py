"""Languages at a table of the service: public in one, private in everybody's own."""

from collections.abc import Callable

import pytest
from sqlmodel import Session

from app import people
from app.games import lobby
from app.games.core import Key
from app.table import talk
from app.table.models import PersonRow

from .house import Avatar, House


@pytest.fixture
async def house(new_house: Callable[..., House]) -> House:
    return await new_house().open(lives=1, victory_s=1)


async def speak(house: House, who: Avatar, language: str) -> None:
    """Choose a language in the menu."""
    label = next(x for x in who.labels if x.startswith("🌐"))
    await house.press(who, label)
    await house.press(who, language)


async def test_a_player_reads_his_own_language_at_an_english_table(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    await speak(house, bob, "Español")
    assert bob.told[-1] == "🌐 La mesa te habla ahora en español."
    assert bob.labels == {"Listo", "Salir", "🔎 Mis datos", "🌐 Idioma"}
    assert ada.labels >= {"Start Game"}
    await house.press(bob, "Listo")
    assert "Ada" in bob.text
    house.falls(peril=[bob])
    await house.press_start(ada)
    await house.until("picking")
    assert bob.text.startswith("Juégate la vida.")
    assert bob.hud is not None
    assert "ESTÁS EN PELIGRO" in bob.hud.text
    assert ada.hud is not None
    assert "PERIL DICE" in ada.hud.text
    assert "PICKING NUMBERS" in house.text("Status")
    answer = await house.stake(bob, 1, 2, 3, 4)
    assert answer.said == "Solo puedes apostar 3 números."


async def test_who_chooses_a_language_sees_his_hud_in_it_at_once(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada, bob)
    assert bob.hud is not None
    assert bob.hud.text.endswith("Waiting for the game")
    before = ada.hud
    await speak(house, bob, "Español")
    assert bob.hud.text.endswith("Esperando el juego")
    assert ada.hud == before
    await speak(house, bob, "Como la mesa")
    assert bob.hud.text.endswith("Waiting for the game")


async def test_his_hud_and_his_dialog_follow_at_every_table_where_he_sits(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.start(ada, bob, peril=ada)
    assert ada.menu == "pick"
    door, elsewhere = await house.next_door(), await house.next_door()
    there = door.avatar("Ada", key=ada.key)
    assert ada.hud is not None
    assert "YOU ARE IN PERIL" in ada.hud.text
    await door.join(there)
    await elsewhere.join(elsewhere.avatar("Cid", key=ada.key[:-1] + "9"))
    seq = elsewhere.table.now.seq
    await speak(door, there, "Español")
    await house.look()
    assert "ESTÁS EN PELIGRO" in ada.hud.text
    assert (ada.menu, ada.text.startswith("Juégate la vida.")) == ("pick", True)
    assert "Salir" in ada.labels
    assert elsewhere.table.now.seq == seq


async def test_who_chooses_the_language_that_he_reads_already_changes_nothing(
    house: House,
) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    seq = house.table.now.seq
    await speak(house, ada, "English")
    assert house.table.now.seq == seq


async def test_the_table_speaks_spanish_to_all_but_who_chose_otherwise(house: House) -> None:
    ada, bob = house.avatars("Ada", "Bob")
    await house.join(ada)
    await speak(house, ada, "English")
    await house.command(house.owner, lobby.SetLanguage("es"))
    await house.touch(bob)
    await house.touch(ada)
    assert "Listo" in bob.labels
    assert "Start Game" in ada.labels
    assert "¡ENTRA EN EL PELIGRO!" in house.text("Status")
    assert "Toca para jugar" in house.board["root"].text
    assert house.public[-1].startswith("💀 ¡Bob ha entrado")


async def test_the_choice_outlives_a_restart_and_counts_at_every_table(house: House) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await speak(house, ada, "Español")
    await house.restart()
    assert house.tables.speaks == {ada.key: "es"}
    other = await house.tables.create("Other", house.owner.key, "Olga")
    joined = await talk.touch(house.tables, other.id, ada.actor)
    assert joined.dialog is not None
    assert "Empezar" in [b.label for b in joined.dialog.made.buttons]


async def test_who_goes_back_to_the_tables_language_leaves_no_trace(house: House) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await speak(house, ada, "Español")
    await people.hide(house.tables, ada.key, True)
    await speak(house, ada, "Como la mesa")
    assert "Start Game" in ada.labels
    kept = await people.kept(house.tables, ada.key)
    assert (kept.hidden, kept.language) == (True, "")
    await people.hide(house.tables, ada.key, False)
    assert await house.store.run(lambda s: row_of(s, ada.key)) is None


async def test_it_is_exported_and_deleted_with_the_rest(house: House) -> None:
    (ada,) = house.avatars("Ada")
    await house.join(ada)
    await speak(house, ada, "Español")
    assert (await people.kept(house.tables, ada.key)).language == "es"
    await house.press(ada, "Salir")
    await people.forget(house.tables, ada.key)
    assert house.tables.speaks == {}
    assert await house.store.run(lambda s: row_of(s, ada.key)) is None


def row_of(session: Session, key: Key) -> PersonRow | None:
    return session.get(PersonRow, key)
