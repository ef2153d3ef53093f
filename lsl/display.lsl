// Peril Table, display.  Finds the prims of the board by their names and paints the frames.
// Only prims whose names have the form part:row:column or media:face are its own.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD     = "¦";
string  BREAK     = "¶";
integer MSG_NEWS  = 7301;
integer MSG_FACTS = 7306;
// ---- end of the shared words ----

string  MESH         = "FURWARE text mesh"; // meshes of the text engine: MESH:<set>:<row>:…
integer ROOT_FACE    = 1;    // the root's face with the start plate
integer RULES_A_CALL = 120;  // about 8 prims are painted with one call, to keep the list small
float   CONFETTI_S   = 2.0;
float   LOOK_AGAIN_S = 3.0;  // after links changed, when they have come to rest

list    gPrims; // [name, link] of every prim that is painted

look()
{
    gPrims = ["root", llGetLinkNumber() != 0];
    string found = "root";
    integer i;
    integer last = llGetObjectPrimCount(llGetKey());
    for (i = 2; i <= last; ++i)
    {
        list parts = llParseStringKeepNulls(llGetLinkName(i), [":"], []);
        if (llList2String(parts, 0) == MESH)
            found += "," + llDumpList2String(llDeleteSubList(parts, 0, 0), ":");
        else if (llGetListLength(parts) == 3 || llList2String(parts, 0) == "media")
        {
            gPrims += [llGetLinkName(i), i];
            found += "," + llGetLinkName(i);
        }
    }
    // The server says what is missing or double and how large texts are, and shows the whole board.
    llMessageLinked(LINK_THIS, MSG_FACTS, "prims" + FIELD + found, NULL_KEY);
}

vector colour(string value)
{
    if (value == "")
        return <1.0, 1.0, 1.0>;
    return (vector)("<" + value + ">");
}

list paint(list frame)
{
    string name = llList2String(frame, 1);
    integer i = llListFindList(gPrims, [name]);
    if (i == -1 || i % 2 == 1)
        return [];
    integer face = ALL_SIDES;
    list rules = [PRIM_LINK_TARGET, llList2Integer(gPrims, i + 1)];
    if (name == "root")
    {
        face = ROOT_FACE;
        rules += [PRIM_TEXT, llReplaceSubString(llList2String(frame, 6), BREAK, "\n", 0),
            colour(llList2String(frame, 7)), 1.0];
        confetti(llList2String(frame, 8));
    }
    string picture = llList2String(frame, 2);
    integer texture = llGetInventoryType(picture) == INVENTORY_TEXTURE;
    if ((key)picture)
        texture = TRUE;
    if (texture)
        rules += [PRIM_TEXTURE, face, picture, <1.0, 1.0, 0.0>, ZERO_VECTOR, 0.0];
    return rules + [PRIM_COLOR, face, colour(llList2String(frame, 3)),
        1.0 - llList2Float(frame, 4), PRIM_GLOW, face, llList2Float(frame, 5)];
}

// The page of this table on a face of a prim named media:FACE or media:FACE wide, if it is not there.
browse(string name, string url)
{
    integer link = llList2Integer(gPrims, llListFindList(gPrims, [name]) + 1);
    integer face = (integer)llGetSubString(name, 6, -1);
    if (llList2String(llGetLinkMedia(link, face, [PRIM_MEDIA_HOME_URL]), 0) != url)
        llSetLinkMedia(link, face, [PRIM_MEDIA_HOME_URL, url, PRIM_MEDIA_CURRENT_URL, url,
            PRIM_MEDIA_AUTO_PLAY, TRUE, PRIM_MEDIA_AUTO_SCALE, TRUE, PRIM_MEDIA_WIDTH_PIXELS, 1024,
            PRIM_MEDIA_HEIGHT_PIXELS, 1024 >> (llSubStringIndex(name, "wide") != -1),
            PRIM_MEDIA_PERMS_INTERACT, PRIM_MEDIA_PERM_NONE]);
}

// A burst of that texture, or none.
confetti(string picture)
{
    list rules;
    if (picture != "")
        rules = [PSYS_PART_FLAGS,
        PSYS_PART_EMISSIVE_MASK | PSYS_PART_INTERP_COLOR_MASK | PSYS_PART_INTERP_SCALE_MASK,
        PSYS_SRC_PATTERN, PSYS_SRC_PATTERN_EXPLODE, PSYS_SRC_TEXTURE, picture,
        PSYS_PART_START_ALPHA, 1.0, PSYS_PART_END_ALPHA, 0.0,
        PSYS_PART_START_SCALE, <0.2, 0.2, 0.0>, PSYS_PART_END_SCALE, <0.5, 0.5, 0.0>,
        PSYS_PART_MAX_AGE, 2.0, PSYS_SRC_MAX_AGE, CONFETTI_S, PSYS_SRC_BURST_RATE, 0.05,
        PSYS_SRC_BURST_PART_COUNT, 20, PSYS_SRC_BURST_RADIUS, 0.6,
        PSYS_SRC_BURST_SPEED_MIN, 1.0, PSYS_SRC_BURST_SPEED_MAX, 2.0,
        PSYS_SRC_ACCEL, <0.0, 0.0, -0.4>];
    llLinkParticleSystem(LINK_ROOT, rules);
}

show(string body)
{
    list records = llParseString2List(body, ["\n"], []);
    list rules;
    integer i;
    integer length = llGetListLength(records);
    for (i = 0; i < length; ++i)
    {
        list fields = llParseStringKeepNulls(llList2String(records, i), [FIELD], []);
        if (llList2String(fields, 0) == "F")
            rules += paint(fields);
        else if (llList2String(fields, 0) == "V")
            browse(llList2String(fields, 1), llList2String(fields, 2));
        if (llGetListLength(rules) >= RULES_A_CALL || i == length - 1)
        {
            llSetLinkPrimitiveParamsFast(LINK_THIS, rules);
            rules = [];
        }
    }
}

default
{
    state_entry()
    {
        look();
    }

    changed(integer change)
    {
        if (change & CHANGED_LINK)
            llSetTimerEvent(LOOK_AGAIN_S);
    }

    timer()
    {
        llSetTimerEvent(0.0);
        look();
    }

    link_message(integer sender, integer number, string body, key news)
    {
        if (number == MSG_NEWS)
            show(body);
    }
}
