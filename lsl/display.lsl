// Peril Table, display.  Finds the prims of the board by their names and paints the frames.
// Prims it does not know are left alone, missing ones are reported once.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD      = "¦";
string  BREAK      = "¶";
integer MSG_NEWS   = 7301;
integer MSG_REPORT = 7306;
integer MSG_AGAIN  = 7307;
// ---- end of the shared words ----

integer ROOT_FACE    = 1;    // the root's face with the start plate
integer RULES_A_CALL = 120;  // about 8 prims are painted with one call, to keep the list small
float   CONFETTI_S   = 2.0;
float   LOOK_AGAIN_S = 3.0;  // after links changed, when they have come to rest

list    gPrims;    // [name, link] of every prim that is painted
list    gTextures; // [picture, texture] of the theme

look()
{
    list wanted = ["Scoreboard:0:0", "backboard:0:0", "TitleAction:0:0"];
    integer i;
    for (i = 0; i < 10; ++i)
    {
        string place = ":" + (string)(i / 2) + ":" + (string)(i % 2);
        wanted += ["profile" + place, "life" + place, "overlay" + place];
    }
    gPrims = ["root", llGetLinkNumber() != 0];
    string doubled;
    integer last = llGetObjectPrimCount(llGetKey());
    for (i = 2; i <= last; ++i)
    {
        string name = llGetLinkName(i);
        if (llListFindList(wanted, [name]) != -1)
        {
            if (llListFindList(gPrims, [name]) != -1)
                doubled += " " + name;
            else
                gPrims += [name, i];
        }
    }
    string missing;
    for (i = 0; i < llGetListLength(wanted); ++i)
        if (llListFindList(gPrims, [llList2String(wanted, i)]) == -1)
            missing += " " + llList2String(wanted, i);
    string report;
    if (missing != "")
        report = "Prims missing:" + missing + ". ";
    if (doubled != "")
        report += "Prims with the same name:" + doubled + ".";
    llMessageLinked(LINK_THIS, MSG_REPORT, llGetSubString(report, 0, 900), NULL_KEY);
    // The theme's textures, and the whole board.
    llMessageLinked(LINK_THIS, MSG_AGAIN, "", NULL_KEY);
}

vector colour(string value)
{
    if (value == "")
        return <1.0, 1.0, 1.0>;
    return (vector)("<" + value + ">");
}

// The texture of a picture: the theme's, or one of that name in the table, or none.
string texture(string picture)
{
    integer i = llListFindList(gTextures, [picture]);
    if (i != -1)
        return llList2String(gTextures, i + 1);
    if (picture != "" && llGetInventoryType(picture) == INVENTORY_TEXTURE)
        return picture;
    return "";
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
        confetti(llList2String(frame, 8) == "confetti");
    }
    string picture = texture(llList2String(frame, 2));
    if (picture != "")
        rules += [PRIM_TEXTURE, face, picture, <1.0, 1.0, 0.0>, ZERO_VECTOR, 0.0];
    float alpha = 1.0;
    if (llList2String(frame, 4) != "")
        alpha = llList2Float(frame, 4);
    return rules + [PRIM_COLOR, face, colour(llList2String(frame, 3)), alpha,
        PRIM_GLOW, face, llList2Float(frame, 5)];
}

confetti(integer on)
{
    list rules;
    if (on)
        rules = [PSYS_PART_FLAGS, PSYS_PART_EMISSIVE_MASK
        | PSYS_PART_INTERP_COLOR_MASK | PSYS_PART_INTERP_SCALE_MASK,
        PSYS_SRC_PATTERN, PSYS_SRC_PATTERN_EXPLODE, PSYS_SRC_TEXTURE, texture("confetti"),
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
        string line = llList2String(records, i);
        string kind = llGetSubString(line, 0, 0);
        if (kind == "T")
            gTextures = llDeleteSubList(llParseStringKeepNulls(line, [FIELD], []), 0, 0);
        else if (kind == "F")
            rules += paint(llParseStringKeepNulls(line, [FIELD], []));
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
        if (number == MSG_NEWS && llGetSubString((string)news, 0, 0) == "A")
            show(body);
    }
}
