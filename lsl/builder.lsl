// Peril Table, builder.  Makes the standard linkset of 74 prims from one: 33 plates from the object
// "Peril plate", 40 text meshes from the object "Peril mesh" (a FURWARE mesh of 8 faces) in its
// inventory.  Run again it adds what is missing; it renames nothing that exists.  MIT licence.

string  PLATE     = "Peril plate";        // a plain prim in the inventory, copy and modify
string  MESH      = "Peril mesh";         // a FURWARE text mesh of 8 faces, copy and modify
string  MESH_NAME = "FURWARE text mesh:"; // how the engine finds its meshes
float   REZ_S     = 15.0;                 // a prim appears within that time, or it is tried again
integer TRIES     = 3;
float   FRONT_M   = 0.006;                // pictures stand that much before the plate behind them

list    gWanted; // [name, position, size] of what is still missing
integer gTried;  // how often the first of them was tried

// All prims of the standard table that this linkset lacks.  The board stands over the root and faces
// its front (-Y, where face 1 is): x to the right, y into the depth, z up.  Sizes: width, depth, height.
plan()
{
    gWanted = [];
    want("backboard:0:0", <0.0, 0.03, 1.65>, <4.6, 0.02, 3.1>);
    want("Scoreboard:0:0", <0.0, 0.05, 1.65>, <4.7, 0.02, 3.2>);
    want("TitleAction:0:0", <-1.3, -FRONT_M, 2.45>, <1.8, 0.01, 1.2>);
    integer i;
    for (i = 0; i < 10; ++i)
    {
        string place = ":" + (string)(i / 2) + ":" + (string)(i % 2);
        float x = 0.1 + (i % 2) * 1.15;
        float z = 2.78 - (i / 2) * 0.56;
        want("profile" + place, <x, -FRONT_M, z>, <0.5, 0.01, 0.5>);
        want("overlay" + place, <x, -2.0 * FRONT_M, z>, <0.5, 0.01, 0.5>);
        want("life" + place, <x + 0.52, -FRONT_M, z>, <0.5, 0.01, 0.5>);
    }
    texts("Status", 2, 3, 1.7, 0.6, 0.14);
    texts("Dice", 1, 4, 1.42, 0.45, 0.12);
    texts("Leaderboard", 10, 3, 1.27, 0.6, 0.11);
}

// A text set in the left column, its first row at height z.  A mesh is read from its +X side, its
// characters run along +Y: it is turned to the front, so its width is its y.
texts(string set, integer rows, integer columns, float z, float width, float height)
{
    integer row;
    integer column;
    for (row = 0; row < rows; ++row)
        for (column = 0; column < columns; ++column)
            want(MESH_NAME + set + ":" + (string)row + ":" + (string)column + ":8",
                <-2.2 + (column + 0.5) * width, -FRONT_M, z - row * height>, <0.01, width, height>);
}

want(string name, vector place, vector size)
{
    integer i;
    integer last = llGetObjectPrimCount(llGetKey());
    for (i = 2; i <= last; ++i)
        if (llGetLinkName(i) == name)
            return;
    gWanted += [name, place, size];
}

// Say to the owner, in his language, why nothing more is built.
stop(string english, string spanish)
{
    llOwnerSay(llList2String([english, spanish],
        llSubStringIndex(llGetAgentLanguage(llGetOwner()), "es") == 0));
    gWanted = [];
    llSetTimerEvent(0.0);
}

next()
{
    string object = PLATE;
    if (llSubStringIndex(llList2String(gWanted, 0), MESH_NAME) == 0)
        object = MESH;
    if (gWanted == [])
        stop("The table is complete. Take this script out of it now.",
            "La mesa está completa. Saca ahora este script de ella.");
    else if (llGetInventoryType(object) != INVENTORY_OBJECT)
        stop("Put an object “" + object + "” into the table, then touch it again.",
            "Pon en la mesa un objeto «" + object + "» y tócala otra vez.");
    else if (gTried >= TRIES)
        stop("Nothing can be rezzed here: allow building on this land, then touch the table again.",
            "Aquí no se puede crear nada: permite construir en este terreno y toca la mesa otra vez.");
    else
    {
        gTried += 1;
        llSetTimerEvent(REZ_S);
        llRezObject(object, llGetPos() + <0.0, 0.0, 0.5>, ZERO_VECTOR, llGetRot(), 0);
    }
}

default
{
    touch_start(integer count)
    {
        if (llDetectedKey(0) != llGetOwner())
            return;
        gTried = 0;
        plan();
        if (gWanted == [])
            next();
        else
            llRequestPermissions(llGetOwner(), PERMISSION_CHANGE_LINKS);
    }

    run_time_permissions(integer given)
    {
        if (given & PERMISSION_CHANGE_LINKS)
            next();
        else
            stop("Without your consent to link, nothing can be built.",
                "Sin tu permiso para enlazar no se puede construir nada.");
    }

    object_rez(key made)
    {
        if (gWanted == [])
            return;
        llCreateLink(made, TRUE);
        rotation turn = ZERO_ROTATION;
        if (llSubStringIndex(llList2String(gWanted, 0), MESH_NAME) == 0)
            turn = llEuler2Rot(<0.0, 0.0, -PI_BY_TWO>);
        // The newest child is link 2.
        llSetLinkPrimitiveParamsFast(2, [PRIM_NAME, llList2String(gWanted, 0),
            PRIM_SIZE, llList2Vector(gWanted, 2), PRIM_POS_LOCAL, llList2Vector(gWanted, 1),
            PRIM_ROT_LOCAL, turn]);
        gWanted = llDeleteSubList(gWanted, 0, 2);
        gTried = 0;
        next();
    }

    timer()
    {
        next();
    }
}
