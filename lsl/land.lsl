// Peril Table, land check.  Tells the owner, privately and in short, what this land does not allow
// and what to click.  On rez, after a reset, and when the owner asks in his menu.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
integer MSG_NEWS = 7301;
// ---- end of the shared words ----

float WAIT_S = 4.0; // after a start, when the other scripts have begun

check()
{
    string report;
    integer flags = llGetParcelFlags(llGetPos());
    if (!(flags & PARCEL_FLAG_ALLOW_SCRIPTS))
        report += "\n• Scripts are off here: About Land → Options → Run Scripts.";
    if (!(flags & PARCEL_FLAG_ALLOW_CREATE_OBJECTS) && llGetLandOwnerAt(llGetPos()) != llGetOwner())
        report += "\n• Nothing can be rezzed here, so no floaters: About Land → Options → Build.";
    if (llGetFreeURLs() < 1)
        report += "\n• No URL is free in this region: the table asks the server instead, a little slower.";
    list experience = llGetExperienceDetails(NULL_KEY);
    if (experience == [])
        report += "\n• The scripts belong to no Experience, so players get floaters instead of HUDs:"
            + " compile hud.lsl with “Use Experience”.";
    else if (llList2Integer(experience, 3) != 0)
        report += "\n• The Experience “" + llList2String(experience, 0) + "” is not allowed here, so"
            + " players get floaters instead of HUDs: About Land → Experiences → Add.";
    if (report == "")
        llOwnerSay("This land allows all that the table needs.");
    else
        llOwnerSay("The table works here, but:" + report);
}

default
{
    state_entry()
    {
        llSetTimerEvent(WAIT_S);
    }

    on_rez(integer start)
    {
        llSetTimerEvent(WAIT_S);
    }

    timer()
    {
        llSetTimerEvent(0.0);
        check();
    }

    link_message(integer sender, integer number, string body, key news)
    {
        if (number != MSG_NEWS || llGetSubString((string)news, 0, 0) != "A")
            return;
        if (llListFindList(llParseString2List(body, ["\n"], []), ["K"]) != -1)
            check();
    }
}
