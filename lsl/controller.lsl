// Peril Table, controller.  Reads the notecard, hands touches on, says what is to be said, to all or
// to one, and looks what the land does not allow.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD     = "¦";
string  BREAK     = "¶";
integer LINES     = 100;
integer MSG_NEWS  = 7301;
integer MSG_TOLD  = 7302;
integer MSG_ACT   = 7303;
integer MSG_FACTS = 7306;
integer MSG_ASK   = 7307;
// ---- end of the shared words ----

string NOTECARD = "Peril Table";                   // name of the notecard with the settings
string RANKING  = "FURWARE text mesh:Leaderboard:"; // its touches are for the text script

list    gSettings;    // [name, value] of the lines of the notecard
key     gLineRequest; // the line being read, NULL_KEY when all are
integer gLine;        // its number
integer gSaid;        // number of the last line said; the next are larger
integer gLooked;      // what the land allows was looked at since the start

readNotecard()
{
    gSettings = ["server", "", "table", "", "theme", "", "language", ""];
    gLine = 0;
    if (llGetInventoryType(NOTECARD) == INVENTORY_NOTECARD)
        gLineRequest = llGetNotecardLine(NOTECARD, gLine);
    else
        tellNone();
}

// No server is known: say to the owner what is missing, in his language.
tellNone()
{
    llOwnerSay(llList2String(["Put a notecard “" + NOTECARD
        + "” with a line “server = https://…” into this table.", "Pon en esta mesa una nota «" + NOTECARD
        + "» con una línea «server = https://…»."],
        llSubStringIndex(llGetAgentLanguage(llGetOwner()), "es") == 0));
}

tellSettings()
{
    if (gLineRequest == NULL_KEY && llList2String(gSettings, 1) != "")
        llMessageLinked(LINK_THIS, MSG_FACTS, llDumpList2String(gSettings, FIELD), NULL_KEY);
}

// What the land does not allow; the server has the words for it.
checkLand()
{
    gLooked = TRUE;
    string found;
    integer flags = llGetParcelFlags(llGetPos());
    if (!(flags & PARCEL_FLAG_ALLOW_SCRIPTS))
        found += "scripts,";
    if (!(flags & PARCEL_FLAG_ALLOW_CREATE_OBJECTS) && llGetLandOwnerAt(llGetPos()) != llGetOwner())
        found += "build,";
    if (llGetFreeURLs() < 1)
        found += "url,";
    list experience = llGetExperienceDetails(NULL_KEY);
    if (experience == [])
        found += "no_experience";
    else if (llList2Integer(experience, 3) != 0)
        found += "experience";
    llMessageLinked(LINK_THIS, MSG_ACT, llDumpList2String(["land", "lacks", found, "experience",
        llReplaceSubString(llList2String(experience, 0), FIELD, "|", 0)], FIELD), llGetOwner());
}

// Say the lines of an answer.  A line has a number and is said once, however often it comes; what
// answers somebody has none.
hear(string body, integer fresh)
{
    list records = llParseString2List(body, ["\n"], []);
    list head = llParseStringKeepNulls(llList2String(records, 0), [FIELD], []);
    // Numbers begin anew where the server was set back, or is another one.
    if (fresh && llList2Integer(head, 2) < gSaid / LINES)
        gSaid = 0;
    integer i;
    for (i = 0; i < llGetListLength(records); ++i)
    {
        list fields = llParseStringKeepNulls(llList2String(records, i), [FIELD], []);
        string kind = llList2String(fields, 0);
        integer number = llList2Integer(fields, 1);
        if ((kind == "L" || kind == "P") && (number == 0 || (fresh && number > gSaid)))
        {
            string text = llReplaceSubString(llList2String(fields, -1), BREAK, "\n", 0);
            key who = llList2Key(fields, 2);
            if (number > 0)
                gSaid = number;
            if (kind == "L")
                llSay(0, text);
            else if (who == llGetOwner())
                llOwnerSay(text);
            else
                llRegionSayTo(who, 0, text);
        }
        else if (kind == "K" && fresh)
            gLooked = FALSE;
    }
    if (fresh && !gLooked)
        checkLand();
}

default
{
    state_entry()
    {
        readNotecard();
    }

    on_rez(integer start)
    {
        gLooked = FALSE;
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER)
            llResetScript();
        if (change & CHANGED_INVENTORY)
            readNotecard();
    }

    dataserver(key request, string line)
    {
        if (request != gLineRequest)
            return;
        gLineRequest = NULL_KEY;
        if (line != EOF)
        {
            list parts = llParseStringKeepNulls(line, ["="], []);
            integer i = llListFindList(gSettings, [llToLower(llStringTrim(llList2String(parts, 0),
                STRING_TRIM))]);
            if (i != -1 && i % 2 == 0)
                gSettings = llListReplaceList(gSettings, [llStringTrim(llDumpList2String(
                    llDeleteSubList(parts, 0, 0), "="), STRING_TRIM)], i + 1, i + 1);
            gLine += 1;
            gLineRequest = llGetNotecardLine(NOTECARD, gLine);
        }
        else if (llList2String(gSettings, 1) == "")
            tellNone();
        tellSettings();
    }

    touch_start(integer count)
    {
        integer i;
        for (i = 0; i < count; ++i)
            if (llSubStringIndex(llGetLinkName(llDetectedLinkNumber(i)), RANKING) != 0)
                llMessageLinked(LINK_THIS, MSG_ACT, "touch", llDetectedKey(i));
    }

    link_message(integer sender, integer number, string text, key id)
    {
        if (number == MSG_NEWS || number == MSG_TOLD)
            hear(text, number == MSG_NEWS);
        else if (number == MSG_ASK)
            tellSettings();
    }
}
