// Peril Table, hud.  In the object "Peril HUD" of the table's inventory: a HUD for a human, a floater
// for a bot or where no HUD can be had.  Obeys the table that rezzed it and nobody else.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD = "¦";
string  BREAK = "¶";
// ---- end of the shared words ----

vector  HUD_SIZE     = <0.05, 0.05, 0.05>; // worn
vector  FLOATER_SIZE = <0.2, 0.2, 0.2>;    // in-world
float   LOOK_S       = 5.0;                // how often it looks whether its table is there
integer GONE_LOOKS   = 4;                  // looks without a table before it goes
integer CONSENT_LOOKS = 13;                // looks to wait for the player's consent (a minute)

key     gTable;   // the table that rezzed it
key     gAvatar;  // whose it is
string  gKind;    // h: HUD, f: floater
integer gChannel; // on which it talks with the table
vector  gPlace;   // where a bot's floater stands
integer gGone;    // looks in a row without a table
integer gAsked;   // looks since consent was asked for, -1: not (any more)
integer gWorn;    // it is attached
integer gDying;   // it is to go as soon as it may detach

// Take what the table gave along at the rez; without that this is just an object being edited.
begin()
{
    list start = llParseStringKeepNulls(llGetStartString(), [FIELD], []);
    if (llGetListLength(start) < 5)
        return;
    gTable = llList2Key(start, 0);
    gAvatar = llList2Key(start, 1);
    gKind = llList2String(start, 2);
    gChannel = llList2Integer(start, 3);
    gPlace = (vector)llList2String(start, 4);
    gGone = gAsked = 0;
    if (llGetListLength(start) > 5)
        show(llList2List(start, 4, -1));
    llListen(gChannel, "", gTable, "");
    llSetTimerEvent(LOOK_S);
    tell("hello" + FIELD + (string)gAvatar);
    if (gKind == "f"
        || llList2Integer(llGetObjectDetails(gAvatar, [OBJECT_ATTACHED_SLOTS_AVAILABLE]), 0) < 1)
        stand();
    else
        llRequestExperiencePermissions(gAvatar, "");
}

tell(string message)
{
    llRegionSayTo(gTable, gChannel, message);
}

// In-world beside the table (bots) or with the player (humans without a HUD).
stand()
{
    gAsked = -1;
    llSetLinkPrimitiveParamsFast(LINK_THIS, [PRIM_SIZE, FLOATER_SIZE]);
    if (gKind == "f")
        llSetRegionPos(gPlace);
    else
        follow();
}

follow()
{
    list where = llGetObjectDetails(gAvatar, [OBJECT_POS]);
    if (where != [])
        llSetRegionPos(llList2Vector(where, 0) + <0.0, 0.0, 1.5>);
}

go()
{
    gDying = TRUE;
    if (gWorn)
        llRequestExperiencePermissions(gAvatar, "");
    else
        llDie();
}

show(list fields)
{
    key picture = llList2Key(fields, 1);
    if (picture)
        llSetLinkPrimitiveParamsFast(LINK_THIS, [PRIM_TEXTURE, ALL_SIDES, picture,
            <1.0, 1.0, 0.0>, ZERO_VECTOR, 0.0]);
    llSetLinkPrimitiveParamsFast(LINK_THIS, [PRIM_COLOR, ALL_SIDES,
        (vector)("<" + llList2String(fields, 2) + ">"), 1.0,
        PRIM_GLOW, ALL_SIDES, llList2Float(fields, 3),
        PRIM_TEXT, llReplaceSubString(llList2String(fields, 4), BREAK, "\n", 0),
        <1.0, 1.0, 1.0>, 1.0]);
}

default
{
    on_rez(integer start)
    {
        if (llGetAttached() == 0)
            begin();
    }

    experience_permissions(key who)
    {
        if (gDying)
            llDetachFromAvatar();
        else if (!gWorn)
            llAttachToAvatarTemp(ATTACH_HUD_CENTER_2);
    }

    experience_permissions_denied(key who, integer reason)
    {
        if (!gWorn)
            stand();
    }

    attach(key who)
    {
        gWorn = who != NULL_KEY;
        if (!gWorn)
            return;
        gAsked = -1;
        llSetLinkPrimitiveParamsFast(LINK_THIS, [PRIM_SIZE, HUD_SIZE, PRIM_POS_LOCAL, ZERO_VECTOR,
            PRIM_ROT_LOCAL, ZERO_ROTATION]);
        tell("hello" + FIELD + (string)gAvatar);
    }

    listen(integer channel, string name, key speaker, string message)
    {
        if (speaker != gTable)
            return;
        list fields = llParseStringKeepNulls(message, [FIELD], []);
        if (llList2String(fields, 0) == "show")
            show(fields);
        else if (message == "die")
            go();
        else
            tell("hello" + FIELD + (string)gAvatar);
    }

    touch_start(integer count)
    {
        integer i;
        for (i = 0; i < count; ++i)
            tell("touch" + FIELD + (string)llDetectedKey(i));
    }

    changed(integer change)
    {
        if (change & (CHANGED_REGION_START | CHANGED_REGION))
            tell("hello" + FIELD + (string)gAvatar);
    }

    timer()
    {
        gGone = (gGone + 1) * (llGetObjectDetails(gTable, [OBJECT_POS]) == []);
        if (gGone >= GONE_LOOKS)
            go();
        else if (gAsked >= 0)
        {
            gAsked += 1;
            if (gAsked > CONSENT_LOOKS)
                stand();
        }
        else if (!gWorn && gKind == "h")
            follow();
    }
}
