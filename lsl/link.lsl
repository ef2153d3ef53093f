// Peril Table, link.  Who this table is to its server, what it has painted, when it asks for news, and
// the URL to which the server brings them.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD      = "¦";
integer MSG_NEWS   = 7301;
integer MSG_TOLD   = 7302;
integer MSG_ACT    = 7303;
integer MSG_WHO    = 7304;
integer MSG_ANSWER = 7305;
integer MSG_FACTS  = 7306;
integer MSG_ASK    = 7307;
// ---- end of the shared words ----

string  VERSION      = "1.0.0";
string  DATA_DEVICE  = "peril:device"; // linkset data: who this table is
string  DATA_PASS    = "peril:table";  // keeps other scripts from reading it by accident
float   WAIT_MOST_S  = 60.0;           // when neither server nor region says something else
integer WINDOW_S     = 300;            // so far the clocks of region and server may differ

string gServer;     // address of the server
list   gFacts;      // [name, value] of what the other scripts know of this table
string gDevice;     // who this table is to the server
string gSecret;     // signs what this table and the server say to one another
integer gPushAt;    // when the last push was signed
integer gPush;      // and its number
string gUrl;        // where the server may push to
key    gUrlRequest; // the request for it
float  gUrlAt;      // when to ask for a URL again
integer gSeq;       // the state painted last, 0 = none that is known
integer gPart;      // the state of which a part may be painted already
float  gPollAt;     // when to ask for news next
string gRefused;    // why the server did not take this table, so as to say it once

float jitter(float seconds)
{
    return seconds * (0.8 + llFrand(0.4));
}

// The fields of the line that begins at a place of an answer.
list lineAt(string body, integer at)
{
    body = llGetSubString(body, at, -1);
    return llParseStringKeepNulls(llGetSubString(body, 0, llSubStringIndex(body + "\n", "\n") - 1),
        [FIELD], []);
}

// Tell the requests script what every request says of this table, once it is registered.
who()
{
    list all = [gServer];
    // What the server says to a table that it does not know (any more) is in this language.
    if (gServer != "")
        all += ["o", llGetKey(), "owner", llGetOwner(), "u", gUrl, "since", gSeq, "d", gDevice, "language",
            llList2String(gFacts, llListFindList(gFacts, ["language"]) + 1)];
    llMessageLinked(LINK_THIS, MSG_WHO, llDumpList2String(all, FIELD), NULL_KEY);
}

// Did the server sign this push, a moment ago and after the last one?
integer isSigned(string body)
{
    integer at = llSubStringIndex(body, "\nZ" + FIELD);
    list stamp = llParseStringKeepNulls(llDeleteSubString(body, 0, at), [FIELD], []);
    integer when = llList2Integer(stamp, 1);
    integer number = llList2Integer(stamp, 2);
    if (at == -1 || gSecret == "" || llAbs(llGetUnixTime() - when) > WINDOW_S
        || when < gPushAt || (when == gPushAt && number <= gPush)
        || llHMAC(gSecret, "push\n" + llGetSubString(body, 0, at) + (string)when + FIELD
            + (string)number, "sha256") != llList2String(stamp, 3))
        return FALSE;
    gPushAt = when;
    gPush = number;
    return TRUE;
}

send(string verb, list fields)
{
    who();
    llMessageLinked(LINK_THIS, MSG_ACT, llDumpList2String([verb] + fields, FIELD), NULL_KEY);
}

// Say who this is; the answer is the whole board.
hello()
{
    gSeq = 0;
    if (gServer != "")
        send("hello", ["m", llGetFreeMemory(), "name", llKey2Name(llGetOwner()), "title", llGetObjectName(),
            "region", llGetRegionName(), "v", VERSION] + gFacts);
}

poll()
{
    gPollAt = llGetTime() + jitter(WAIT_MOST_S);
    if (gDevice == "" || gSeq == 0)
        hello();
    // What memory is left is told twice a minute; without a URL it asks more often than that.
    else if (gUrl == "" && llGetUnixTime() % 30 > 2)
        send("poll", []);
    else
        send("poll", ["m", llGetFreeMemory()]);
}

// What the server says.  All of it is news if it fits what is painted; else it came too late or too
// early, and only what answers somebody counts.  FALSE if something is missing now.
integer take(string body)
{
    list head = lineAt(body, 0);
    integer from = llList2Integer(head, 1);
    integer to = llList2Integer(head, 2);
    integer at = llSubStringIndex(body, "\nI" + FIELD);
    if (at != -1)
    {
        list told = lineAt(body, at + 1);
        gDevice = llList2String(told, 1);
        // The secret is told once.
        if (llList2String(told, 2) != "")
            gSecret = llList2String(told, 2);
        llLinksetDataWriteProtected(DATA_DEVICE, gDevice + " " + gSecret + " "
            + (string)llGetOwner(), DATA_PASS);
    }
    if (llSubStringIndex(body + "\n", "\nU\n") != -1)
        newUrl();
    integer whole = from == -gSeq || (from == 0 && to >= gSeq);
    if (!whole && (from != gSeq || to < gPart))
    {
        llMessageLinked(LINK_THIS, MSG_TOLD, body, NULL_KEY);
        return to == gSeq;
    }
    llMessageLinked(LINK_THIS, MSG_NEWS, body, NULL_KEY);
    gPart = to;
    if (llList2String(head, 0) == "S")
        gSeq = to;
    who();
    return TRUE;
}

newUrl()
{
    if (gUrl != "")
        llReleaseURL(gUrl);
    gUrl = "";
    gUrlAt = llGetTime() + jitter(WAIT_MOST_S);
    who();
    gUrlRequest = llRequestSecureURL();
}

// Register anew with what is known: after a start, a re-rez, a restart of the region.
begin()
{
    gSeq = 0;
    gServer = gUrl = "";
    gPollAt = llGetTime() + 1.0;
    list known = llParseString2List(llLinksetDataReadProtected(DATA_DEVICE, DATA_PASS), [" "], []);
    gDevice = gSecret = "";
    if (llList2String(known, 2) == (string)llGetOwner())
    {
        gDevice = llList2String(known, 0);
        gSecret = llList2String(known, 1);
    }
    else
        llLinksetDataDeleteProtected(DATA_DEVICE, DATA_PASS);
    newUrl();
    llMessageLinked(LINK_THIS, MSG_ASK, "", NULL_KEY);
}

default
{
    state_entry()
    {
        begin();
        llSetTimerEvent(1.0);
    }

    on_rez(integer start)
    {
        begin();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER)
            llResetScript();
        if (change & (CHANGED_REGION | CHANGED_REGION_START | CHANGED_TELEPORT))
            begin();
    }

    link_message(integer sender, integer number, string text, key id)
    {
        if (number == MSG_FACTS)
        {
            // Without any it only asks for the whole board.
            list facts = llParseStringKeepNulls(text, [FIELD], []);
            integer i = llListFindList(gFacts, llList2List(facts, 0, 0));
            if (i != -1 && text != "")
                gFacts = llDeleteSubList(gFacts, i, i + llGetListLength(facts) - 1);
            if (text != "")
                gFacts += facts;
            if (llList2String(facts, 0) == "server")
                gServer = llList2String(facts, 1);
            hello();
        }
        else if (number == MSG_ANSWER && text == "")
            // The server does not know this table (any more): it introduces itself anew.
            hello();
        else if (number == MSG_ANSWER)
        {
            list head = lineAt(text, 0);
            integer complete = TRUE;
            if (text != gRefused)
                complete = take(text);
            gRefused = "";
            if (llList2Integer(head, 2) == 0)
                gRefused = text;
            gPollAt = llGetTime() + jitter((float)llList2String(head, 3));
            if (!complete)
                gPollAt = 0.0;
            else if (llList2String(head, 0) == "M")
                send("poll", ["from", llList2String(head, 1), "to", llList2String(head, 2),
                    "more", llList2String(head, 3)]);
        }
    }

    http_request(key id, string method, string body)
    {
        if (method == URL_REQUEST_GRANTED && id == gUrlRequest)
        {
            gUrl = body;
            poll();
        }
        else if (method == "POST" && isSigned(body))
        {
            take(body);
            llHTTPResponse(id, 200, (string)gSeq);
        }
        else if (method != URL_REQUEST_DENIED)
            llHTTPResponse(id, 403, "");
    }

    timer()
    {
        if (gUrl == "" && llGetTime() > gUrlAt)
            newUrl();
        if (llGetTime() >= gPollAt)
            poll();
    }
}
