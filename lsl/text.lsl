// Peril Table, text.  Hands the text sets to the FURWARE text engine, which draws them on meshes;
// without the engine the texts hover over the prims.  The engine is not ours.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD     = "¦";
integer MSG_NEWS  = 7301;
integer MSG_TOUCH = 7303;
integer MSG_CELL  = 7304;
integer MSG_SETS  = 7305;
integer MSG_AGAIN = 7307;
// ---- end of the shared words ----

string  MESH       = "FURWARE text mesh:"; // prims are named MESH<set>:<row>:<column>:<faces>
integer FACES      = 8;                    // of a mesh whose name does not say how many
float   ENGINE_S   = 10.0;                 // the engine answers fw_ready within that time
integer STRIDE     = 4;                    // of gSets
integer HOVER_MAX  = 250;                  // bytes that hover text shows, less a little

list    gSets;   // [set, link of its first mesh, rows, columns]
list    gShown;  // [set, text with its colour] as shown last
integer gEngine; // the engine has answered

// Find the text sets by the names of their meshes, and tell their sizes.
look()
{
    gSets = [];
    integer i;
    integer last = llGetObjectPrimCount(llGetKey());
    for (i = 1; i <= last; ++i)
    {
        string name = llGetLinkName(i);
        if (llSubStringIndex(name, MESH) == 0)
        {
            list parts = llParseStringKeepNulls(llDeleteSubString(name, 0, llStringLength(MESH) - 1),
                [":"], []);
            integer row = llList2Integer(parts, 1);
            integer faces = llList2Integer(parts, 3);
            if (faces < 1)
                faces = FACES;
            integer at = llListFindList(gSets, [llList2String(parts, 0)]);
            if (at == -1)
            {
                at = llGetListLength(gSets);
                gSets += [llList2String(parts, 0), i, 0, 0];
            }
            integer rows = llList2Integer(gSets, at + 2);
            integer columns = llList2Integer(gSets, at + 3);
            if (row + 1 > rows)
                rows = row + 1;
            if (row == 0)
                columns += faces;
            gSets = llListReplaceList(gSets, [rows, columns], at + 2, at + 3);
        }
    }
    string sizes;
    for (i = 0; i < llGetListLength(gSets); i += STRIDE)
        sizes += llList2String(gSets, i) + ":" + (string)llList2Integer(gSets, i + 3) + "x"
            + (string)llList2Integer(gSets, i + 2) + ",";
    llMessageLinked(LINK_THIS, MSG_SETS, sizes, NULL_KEY);
}

engine(string command, string text)
{
    llMessageLinked(LINK_SET, 0, text, (key)command);
}

show(string name, string colour, string text)
{
    string whole = colour + "\n" + text;
    integer at = llListFindList(gShown, [name]);
    if (at != -1 && llList2String(gShown, at + 1) == whole)
        return;
    if (at != -1)
        gShown = llDeleteSubList(gShown, at, at + 1);
    gShown += [name, whole];
    draw(name, colour, text);
}

draw(string name, string colour, string text)
{
    integer at = llListFindList(gSets, [name]);
    if (at == -1)
        return;
    if (gEngine)
    {
        engine("fw_conf : " + name, "c=" + colour + "; a=left; w=none; t=off; tags=off");
        engine("fw_data : " + name, text);
    }
    else
        llSetLinkPrimitiveParamsFast(llList2Integer(gSets, at + 1), [PRIM_TEXT,
            hover(text), (vector)("<" + colour + ">"), 1.0]);
}

// What hovers: rows without the blanks at their ends, as much as is shown.
string hover(string text)
{
    list rows = llParseString2List(text, ["\n"], []);
    string out;
    integer i;
    for (i = 0; i < llGetListLength(rows); ++i)
        out += llStringTrim(llList2String(rows, i), STRING_TRIM_TAIL) + "\n";
    while (llStringLength(llEscapeURL(out)) > HOVER_MAX && llStringLength(out) > 80)
        out = llDeleteSubString(out, -1, -1);
    return out;
}

again()
{
    integer i;
    for (i = 0; i < llGetListLength(gShown); i += 2)
    {
        string whole = llList2String(gShown, i + 1);
        integer cut = llSubStringIndex(whole, "\n");
        draw(llList2String(gShown, i), llGetSubString(whole, 0, cut - 1),
            llDeleteSubString(whole, 0, cut));
    }
}

// Somebody touched a face of the ranking: which cell that is, the engine knows; else the name tells.
cell(string where, key who)
{
    integer link = (integer)where;
    string face = llDeleteSubString(where, 0, llSubStringIndex(where, FIELD));
    if (gEngine)
    {
        engine("fw_touchquery : " + (string)link + " : " + face, (string)who);
        return;
    }
    list parts = llParseStringKeepNulls(llGetLinkName(link), [":"], []);
    llMessageLinked(LINK_THIS, MSG_TOUCH, "&p=Leaderboard&x="
        + (string)(llList2Integer(parts, 3) * FACES) + "&y=" + llList2String(parts, 2), who);
}

begin()
{
    gShown = [];
    gEngine = FALSE;
    look();
    engine("fw_reset", "");
    llMessageLinked(LINK_THIS, MSG_AGAIN, "", NULL_KEY);
    llSetTimerEvent(ENGINE_S);
}

default
{
    state_entry()
    {
        begin();
    }

    changed(integer change)
    {
        if (change & CHANGED_LINK)
            look();
    }

    timer()
    {
        llSetTimerEvent(0.0);
        again();
    }

    link_message(integer sender, integer number, string text, key id)
    {
        if (number == MSG_NEWS && llGetSubString((string)id, 0, 0) == "A")
        {
            list records = llParseString2List(text, ["\n"], []);
            integer i;
            for (i = 0; i < llGetListLength(records); ++i)
            {
                list fields = llParseStringKeepNulls(llList2String(records, i), [FIELD], []);
                if (llList2String(fields, 0) == "X")
                    show(llList2String(fields, 1), llList2String(fields, 2),
                        llDumpList2String(llDeleteSubList(fields, 0, 2), "\n"));
            }
        }
        else if (number == MSG_CELL)
            cell(text, id);
        else if ((string)id == "fw_ready")
        {
            // It has lost everything; it also says so after each start of its own.
            gEngine = TRUE;
            llSetTimerEvent(0.0);
            again();
        }
        else if ((string)id == "fw_touchreply")
        {
            list parts = llParseStringKeepNulls(text, [":"], []);
            if (llList2String(parts, 3) == "Leaderboard")
                llMessageLinked(LINK_THIS, MSG_TOUCH, "&p=Leaderboard&x=" + llList2String(parts, 4)
                    + "&y=" + llList2String(parts, 5), llList2Key(parts, 6));
        }
    }
}
