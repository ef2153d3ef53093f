"""A prim of the linkset that shows the table's page."""

from __future__ import annotations

from pathlib import Path

from . import LSL
from .venue import PRIMS, SERVER, Venue, venue


def page(v: Venue, table: object) -> str:
    return f"{SERVER}/t/{v.hot(table).id}?media"  # type: ignore[arg-type]


def test_a_prim_named_for_it_shows_the_page_on_the_face_that_its_name_says(tmp_path: Path) -> None:
    with venue(tmp_path, public_url=SERVER) as v:
        table = v.build(prims=[*PRIMS, "media:4", "media:2 wide"])
        square, wide = table.prim("media:4").media, table.prim("media:2 wide").media
        assert list(square) == [4]
        assert list(wide) == [2]
        for shown, height in ((square[4], 1024), (wide[2], 512)):
            assert shown[LSL.PRIM_MEDIA_CURRENT_URL] == page(v, table)
            assert shown[LSL.PRIM_MEDIA_HOME_URL] == page(v, table)
            assert shown[LSL.PRIM_MEDIA_AUTO_PLAY] == 1
            assert shown[LSL.PRIM_MEDIA_WIDTH_PIXELS] == 1024
            assert shown[LSL.PRIM_MEDIA_HEIGHT_PIXELS] == height
            assert shown[LSL.PRIM_MEDIA_PERMS_INTERACT] == LSL.PRIM_MEDIA_PERM_NONE
        v.same(table)
        assert v.region.debug == []


def test_a_face_that_shows_it_already_is_left_alone(tmp_path: Path) -> None:
    """A hello after a reset or a restart of the server must not load the page anew."""
    with venue(tmp_path, public_url=SERVER) as v:
        table = v.build(prims=[*PRIMS, "media:0"])
        shown = table.prim("media:0").media[0]
        shown[LSL.PRIM_MEDIA_CURRENT_URL] = "as it was"
        table.script("display").reset()
        v.region.run(10)
        assert shown[LSL.PRIM_MEDIA_CURRENT_URL] == "as it was"
        shown[LSL.PRIM_MEDIA_HOME_URL] = "http://elsewhere.test"
        table.script("display").reset()
        v.region.run(10)
        assert shown[LSL.PRIM_MEDIA_CURRENT_URL] == page(v, table)


def test_a_table_without_such_a_prim_is_told_of_no_page(tmp_path: Path) -> None:
    with venue(tmp_path, public_url=SERVER) as v:
        table = v.build()
        assert not any(prim.media for prim in table.prims)
        assert v.region.debug == []
