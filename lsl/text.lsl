// Peril Table, text.  Hands the text sets to the FURWARE text engine, which draws them on meshes;
// without the engine the texts hover over the prims.  The engine is not ours.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD     = "¦";
integer MSG_NEWS  = 7301;
integer MSG_ACT   = 7303;
integer MSG_FACTS = 7306;
// ---- end of the shared words ----

string  MESH     = "FURWARE text mesh"; // prims are named MESH:<set>:<row>:<column>:<faces>
integer FACES    = 8;                   // of a mesh
float   ENGINE_S = 10.0;                // the engine answers fw_ready within that time
string  RANKING  = "Leaderboard";       // the set whose pages turn when it is touched

list    gSets;   // [set, link of its first mesh]
list    gShown;  // [set, colour, text] as shown last
integer gEngine; // the engine has answered

// Find the first mesh of each text set.
look()
{
    gSets = [];
    integer i;
    integer last = llGetObjectPrimCount(llGetKey());
    for (i = 1; i <= last; ++i)
    {
        list parts = llParseStringKeepNulls(llGetLinkName(i), [":"], []);
        string name = llList2String(parts, 1);
        if (llList2String(parts, 0) == MESH && llListFindList(gSets, [name]) == -1)
            gSets += [name, i];
    }
}

engine(string command, string text)
{
    llMessageLinked(LINK_SET, 0, text, (key)command);
}

show(string name, string colour, string text)
{
    integer i = llListFindList(gShown, [name]);
    if (i == -1)
    {
        i = llGetListLength(gShown);
        gShown += [name, "", ""];
    }
    if (llList2String(gShown, i + 1) != colour || llList2String(gShown, i + 2) != text)
    {
        gShown = llListReplaceList(gShown, [colour, text], i + 1, i + 2);
        draw(i);
    }
}

draw(integer i)
{
    string name = llList2String(gShown, i);
    string colour = llList2String(gShown, i + 1);
    string text = llList2String(gShown, i + 2);
    integer at = llListFindList(gSets, [name]);
    if (gEngine)
    {
        engine("fw_conf : " + name, "c=" + colour + "; a=left; w=none; t=off; tags=off");
        engine("fw_data : " + name, text);
    }
    else if (at != -1)
        llSetLinkPrimitiveParamsFast(llList2Integer(gSets, at + 1), [PRIM_TEXT, text,
            (vector)("<" + colour + ">"), 1.0]);
}

again()
{
    integer i;
    for (i = 0; i < llGetListLength(gShown); i += 3)
        draw(i);
}

// Somebody touched a cell of the ranking.
touched(integer column, string row, key who)
{
    llMessageLinked(LINK_THIS, MSG_ACT, llDumpList2String(["touch", "p", RANKING, "x", column,
        "y", row], FIELD), who);
}

default
{
    state_entry()
    {
        look();
        engine("fw_reset", "");
        llMessageLinked(LINK_THIS, MSG_FACTS, "", NULL_KEY);
        llSetTimerEvent(ENGINE_S);
    }

    changed(integer change)
    {
        if (change & CHANGED_LINK)
            look();
    }

    touch_start(integer count)
    {
        integer i;
        for (i = 0; i < count; ++i)
        {
            integer link = llDetectedLinkNumber(i);
            list parts = llParseStringKeepNulls(llGetLinkName(link), [":"], []);
            integer ranking = llList2String(parts, 0) == MESH && llList2String(parts, 1) == RANKING;
            // Which cell a face is, the engine knows; else the name of the mesh tells.
            if (ranking && gEngine)
                engine("fw_touchquery : " + (string)link + " : " + (string)llDetectedTouchFace(i),
                    (string)llDetectedKey(i));
            else if (ranking)
                touched(llList2Integer(parts, 3) * FACES, llList2String(parts, 2), llDetectedKey(i));
        }
    }

    timer()
    {
        llSetTimerEvent(0.0);
        again();
    }

    link_message(integer sender, integer number, string text, key id)
    {
        if (number == MSG_NEWS)
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
            if (llList2String(parts, 3) == RANKING)
                touched(llList2Integer(parts, 4), llList2String(parts, 5), llList2Key(parts, 6));
        }
    }
}
