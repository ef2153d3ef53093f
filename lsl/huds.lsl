// Peril Table, huds.  Sends each player a HUD (humans, by the Experience) or a floater (bots, and
// humans where no HUD can be had), keeps them up to date and takes them away.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD     = "¦";
integer MSG_NEWS  = 7301;
integer MSG_ACT   = 7303;
integer MSG_FACTS = 7306;
// ---- end of the shared words ----

string  HUD_OBJECT   = "Peril HUD";     // the object in this table's inventory
string  DATA_CHANNEL = "peril:channel"; // linkset data: so that HUDs are found again after a reset
integer STRIDE       = 3;               // of gHuds
float   REZ_S        = 10.0;            // a HUD says hello within that time, or is sent once more
integer REZ_TRIES    = 2;
float   SPACING_M    = 1.5;             // between floaters beside the table
integer TRIES        = 0x0F;            // of a state: how often it was rezzed
integer FLOATER      = 0x10;            // it is one
integer LATE         = 0x20;            // it does not show what it should

integer gChannel;  // on which HUDs and this table talk
list    gHuds;     // [avatar, object or NULL_KEY, state] of all that are wanted
integer gToldRez;  // the owner knows that nothing can be rezzed here
integer gNamed;    // the server has named all that are wanted

// What it is to show goes along, if that is known; it is kept nowhere, for want of memory.
rez(integer i, string shows)
{
    if (llGetInventoryType(HUD_OBJECT) != INVENTORY_OBJECT)
        return;
    integer bits = llList2Integer(gHuds, i + 2);
    string kind = llList2String(["h", "f"], (bits & FLOATER) != 0);
    // Floaters stand in rows of five beside the table.
    integer n = i / STRIDE;
    vector at = llGetPos() + <(n % 5) * SPACING_M - 3.0, 2.0 + (n / 5) * SPACING_M, 1.0>;
    string start = llDumpList2String([llGetKey(), llList2Key(gHuds, i), kind, gChannel, at], FIELD);
    if (shows != "")
    {
        start += FIELD + shows;
        bits = bits & ~LATE;
    }
    key object = llRezObjectWithParams(HUD_OBJECT, [REZ_POS, llGetPos() + <0.0, 0.0, 1.0>, FALSE,
        TRUE, REZ_PARAM, gChannel, REZ_PARAM_STRING, start]);
    if (object == NULL_KEY && !gToldRez)
    {
        gToldRez = TRUE;
        llMessageLinked(LINK_THIS, MSG_ACT, llDumpList2String(["land", "lacks", "rez"], FIELD), llGetOwner());
    }
    gHuds = llListReplaceList(gHuds, [bits + 1], i + 2, i + 2);
    llSetTimerEvent(REZ_S);
}

take(integer i)
{
    key object = llList2Key(gHuds, i + 1);
    if (object != NULL_KEY)
        llRegionSayTo(object, gChannel, "die");
    gHuds = llDeleteSubList(gHuds, i, i + STRIDE - 1);
}

// A record H¦avatar¦kind¦picture¦colour¦glow¦text
want(list record)
{
    string avatar = llList2String(record, 1);
    string kind = llList2String(record, 2);
    string picture = llList2String(record, 3);
    // A HUD has no pictures of its own.
    if (llGetInventoryType(picture) == INVENTORY_TEXTURE)
        picture = llGetInventoryKey(picture);
    string shows = llDumpList2String([picture] + llList2List(record, 4, 6), FIELD);
    integer floater = (kind == "f") * FLOATER;
    integer i = llListFindList(gHuds, [(key)avatar]);
    if (i == -1)
    {
        gHuds += [(key)avatar, NULL_KEY, floater | LATE];
        rez(llGetListLength(gHuds) - STRIDE, shows);
        return;
    }
    key object = llList2Key(gHuds, i + 1);
    integer bits = (llList2Integer(gHuds, i + 2) & TRIES) | floater;
    if (object != NULL_KEY && llGetObjectDetails(object, [OBJECT_POS]) != [])
    {
        llRegionSayTo(object, gChannel, "show" + FIELD + shows);
        gHuds = llListReplaceList(gHuds, [bits], i + 2, i + 2);
        return;
    }
    gHuds = llListReplaceList(gHuds, [bits | LATE], i + 2, i + 2);
    if (object != NULL_KEY && (floater || llGetAgentSize((key)avatar) != ZERO_VECTOR))
    {
        // It got lost, say by a crash of the viewer; who takes it off twice wants none.
        gHuds = llListReplaceList(gHuds, [NULL_KEY], i + 1, i + 1);
        if ((bits & TRIES) < REZ_TRIES)
            rez(i, shows);
    }
}

// Only those named may stay.
keep(string names)
{
    gNamed = TRUE;
    integer i;
    for (i = llGetListLength(gHuds) - STRIDE; i >= 0; i -= STRIDE)
        if (llSubStringIndex("," + names + ",", "," + (string)llList2Key(gHuds, i) + ",") == -1)
            take(i);
}

hello(key object, key avatar)
{
    key owner = llGetOwnerKey(object);
    if (owner != llGetOwner() && owner != avatar)
        return;
    integer i = llListFindList(gHuds, [avatar]);
    key other = llList2Key(gHuds, i + 1);
    integer doubled = other != NULL_KEY && other != object
        && llGetObjectDetails(other, [OBJECT_POS]) != [];
    if (i == -1 && !gNamed)
        gHuds += [avatar, object, 0];
    else if (i == -1 || doubled)
        llRegionSayTo(object, gChannel, "die");
    else
    {
        integer bits = llList2Integer(gHuds, i + 2);
        gHuds = llListReplaceList(gHuds, [object, bits & ~LATE], i + 1, i + 2);
        // What it missed comes with the whole board.
        if (bits & LATE)
            llMessageLinked(LINK_THIS, MSG_FACTS, "", NULL_KEY);
    }
}

begin()
{
    gChannel = (integer)llLinksetDataRead(DATA_CHANNEL);
    if (gChannel == 0)
    {
        gChannel = -1 - (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6));
        llLinksetDataWrite(DATA_CHANNEL, (string)gChannel);
    }
    llListen(gChannel, "", NULL_KEY, "");
    // HUDs of before the reset say who they are; those of nobody go when all are named anew.
    llRegionSay(gChannel, "who");
    llMessageLinked(LINK_THIS, MSG_FACTS, "", NULL_KEY);
}

default
{
    state_entry()
    {
        begin();
    }

    on_rez(integer start)
    {
        // A copy must not talk on the channel of its original.
        llLinksetDataDelete(DATA_CHANNEL);
        llResetScript();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER)
            llResetScript();
    }

    listen(integer channel, string name, key object, string message)
    {
        list parts = llParseStringKeepNulls(message, [FIELD], []);
        string word = llList2String(parts, 0);
        integer known = llListFindList(gHuds, [object]);
        if (word == "hello")
            hello(object, llList2Key(parts, 1));
        else if (word == "touch" && known != -1)
            llMessageLinked(LINK_THIS, MSG_ACT, llDumpList2String(["touch", "p", "hud"], FIELD),
                llList2Key(parts, 1));
    }

    link_message(integer sender, integer number, string body, key news)
    {
        if (number != MSG_NEWS)
            return;
        while (body != "")
        {
            integer cut = llSubStringIndex(body + "\n", "\n");
            list fields = llParseStringKeepNulls(llGetSubString(body, 0, cut - 1), [FIELD], []);
            body = llDeleteSubString(body, 0, cut);
            string kind = llList2String(fields, 0);
            if (kind == "H")
                want(fields);
            else if (kind == "A")
                keep(llList2String(fields, 1));
            else if (kind == "G")
            {
                while (gHuds != [])
                    take(0);
                llRegionSay(gChannel, "die");
            }
        }
    }

    timer()
    {
        llSetTimerEvent(0.0);
        integer i;
        for (i = 0; i < llGetListLength(gHuds); i += STRIDE)
            if (llList2Key(gHuds, i + 1) == NULL_KEY
                && (llList2Integer(gHuds, i + 2) & TRIES) < REZ_TRIES)
                rez(i, "");
    }
}
