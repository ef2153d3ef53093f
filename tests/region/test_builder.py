"""The builder makes the standard linkset from one prim, and adds what is missing."""

from __future__ import annotations

import math

from app.display import TEXT_SETS

from . import Avatar, Linkset, Prim, Region
from .venue import FIXED, LSL, PRIMS


def yard(**land: bool) -> tuple[Region, Linkset]:
    """One prim with the builder and what it needs."""
    region = Region()
    for name, value in land.items():
        setattr(region.land, name, value)
    cube = region.object("My table")
    cube.root.contain(Linkset("Peril plate"))
    mesh = Linkset("Peril mesh")
    cube.root.contain(mesh)
    cube.root.script(LSL / "builder.lsl")
    region.run(1)
    return region, cube


def build(region: Region, cube: Linkset, who: Avatar | None = None) -> None:
    who = who or region.owner
    who.touch(cube)
    region.run(1)
    if who.asked:
        who.grant()
    region.run(300)


def extent(prim: Prim) -> tuple[float, float, float, float]:
    """Left, right, bottom, top of a prim as one looks at the board."""
    x, _, z = prim.pos_local
    width, depth, height = prim.size
    if prim.name.startswith("FURWARE"):
        width = depth
    return x - width / 2, x + width / 2, z - height / 2, z + height / 2


def test_one_touch_builds_the_74_prims_by_their_names() -> None:
    region, cube = yard()
    build(region, cube)
    assert sorted(p.name for p in cube.prims[1:]) == sorted(PRIMS)
    assert len(cube.prims) == 74
    assert region.owner.lines[-1].text == "The table is complete. Take this script out of it now."


def test_what_stands_on_the_board_stands_before_it_and_nothing_overlaps() -> None:
    """PB-159: pictures stand a few millimetres before the plate behind them."""
    region, cube = yard()
    build(region, cube)
    back = cube.prim("backboard:0:0")
    left, right, bottom, top = extent(back)
    shown = [p for p in cube.prims[1:] if p.name not in ("backboard:0:0", "Scoreboard:0:0")]
    for prim in shown:
        a, b, c, d = extent(prim)
        assert left <= a < b <= right, prim.name
        assert bottom <= c < d <= top, prim.name
        assert prim.pos_local[1] < back.pos_local[1] - 0.004, prim.name
    flat = [p for p in shown if not p.name.startswith("overlay")]
    for n, one in enumerate(flat):
        for two in flat[n + 1 :]:
            a, b = extent(one), extent(two)
            apart = a[1] <= b[0] + 1e-4 or b[1] <= a[0] + 1e-4
            apart = apart or a[3] <= b[2] + 1e-4 or b[3] <= a[2] + 1e-4
            assert apart, (one.name, two.name)


def test_the_board_faces_the_side_with_the_start_plate_and_is_read_from_left_to_right() -> None:
    """The start plate is face 1 of the root, its -Y side: from there +X is to the right."""
    region, cube = yard()
    build(region, cube)
    assert cube.prim("profile:0:0").pos_local[0] < cube.prim("profile:0:1").pos_local[0]
    first, second = (cube.prim(f"FURWARE text mesh:Dice:0:{n}:8") for n in (0, 1))
    assert first.pos_local[0] < second.pos_local[0]
    _, _, sine, cosine = first.rot_local  # of half the turn around z
    assert round(2 * math.atan2(sine, cosine), 3) == round(-math.pi / 2, 3)


def test_the_text_meshes_make_sets_of_the_standard_size() -> None:
    for name, (columns, rows) in TEXT_SETS.items():
        meshes = [p for p in PRIMS if p.startswith(f"FURWARE text mesh:{name}:")]
        assert len(meshes) * 8 == columns * rows


def test_a_repair_adds_what_is_missing_and_renames_nothing() -> None:
    region = Region()
    kept = [n for n in PRIMS if n not in ("life:2:0", "FURWARE text mesh:Dice:0:3:8")]
    table = region.object("Old table", [*kept, "lamp"])
    table.root.contain(Linkset("Peril plate"))
    table.root.contain(Linkset("Peril mesh"))
    table.root.script(LSL / "builder.lsl")
    region.run(1)
    build(region, table)
    assert sorted(p.name for p in table.prims[1:]) == sorted([*PRIMS, "lamp"])
    build(region, table)
    assert sorted(p.name for p in table.prims[1:]) == sorted([*PRIMS, "lamp"])
    assert region.owner.lines[-1].text.startswith("The table is complete")


def test_a_stranger_builds_nothing() -> None:
    region, cube = yard()
    build(region, cube, region.avatar("Eve"))
    assert len(cube.prims) == 1


def test_missing_objects_and_forbidden_land_are_named() -> None:
    region = Region()
    cube = region.object("My table")
    cube.root.script(LSL / "builder.lsl")
    region.run(1)
    build(region, cube)
    assert "Peril plate" in region.owner.lines[-1].text
    region, cube = yard(rez_allowed=False)
    build(region, cube)
    assert "allow building" in region.owner.lines[-1].text


def test_it_speaks_the_language_of_the_owners_viewer() -> None:
    """No server is known to it, so none tells it the words."""
    region, cube = yard(rez_allowed=False)
    region.owner.language = "es"
    build(region, cube)
    assert "permite construir" in region.owner.lines[-1].text
    region.land.rez_allowed = True
    build(region, cube)
    assert len(cube.prims) == 74
    assert region.owner.lines[-1].text.startswith("La mesa está completa")


def test_the_fixed_prims_are_34_with_the_root() -> None:
    assert len(FIXED) + 1 == 34
