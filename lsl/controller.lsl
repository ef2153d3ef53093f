// Peril Table, controller.  Lives in the root prim; sends what people do to the server and hands
// the server's answers to the other scripts.  It holds no game state.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD      = "¦";
string  BREAK      = "¶";
integer BODY_MAX   = 3072;
integer MSG_NEWS   = 7301;
integer MSG_PRESS  = 7302;
integer MSG_TOUCH  = 7303;
integer MSG_CELL   = 7304;
integer MSG_SETS   = 7305;
integer MSG_REPORT = 7306;
integer MSG_AGAIN  = 7307;
// ---- end of the shared words ----

string  VERSION       = "1.0.0";
string  NOTECARD      = "Peril Table";  // name of the notecard with the settings
string  DATA_DEVICE   = "peril:device"; // linkset data: who this table is
string  DATA_PASS     = "peril:table";  // keeps other scripts from reading it by accident
integer QUEUE_MAX     = 16;             // human actions that may wait at one time
integer BUDGET        = 20;             // requests in BUDGET_S seconds; the region allows 25
float   BUDGET_S      = 20.0;
float   ANSWER_S      = 62.0;           // after 60 s the region has thrown an answer away
float   WAIT_FIRST_S  = 2.0;            // first pause before the same request goes again
float   WAIT_MOST_S   = 60.0;
integer TRIES         = 5;              // of a human action; asking for news goes on for ever
float   URL_AGAIN_S   = 60.0;
integer STRIDE        = 5;              // of gQueue

string  gServer;       // address of the server, from the notecard
list    gSettings;     // "", then [name=, value] of every line of the notecard
string  gDevice;       // who this table is to the server
string  gSecret;       // and its proof
string  gUrl;          // where the server may push to
key     gUrlRequest;   // the request for it
float   gUrlAt;        // when to ask for a URL again, 0 = not
key     gLineRequest;  // the notecard line being read
integer gLine;         // its number
integer gSeq;          // the state painted last
float   gPollAt;       // when to ask for news next
list    gQueue;        // [request or NULL_KEY, verb, body, tries, when], requests on their way
list    gSent;         // when the last requests went out
string  gSets;         // sizes of the text sets, as the text script found them
string  gTroubles;     // what display and text found missing
string  gToldTroubles; // what the owner has been told of it
string  gRefused;      // why the server did not take this table, so as to say it once

float jitter(float seconds)
{
    return seconds * (0.8 + llFrand(0.4));
}

whisperTo(key who, string text)
{
    if (who == llGetOwner())
        llOwnerSay(text);
    else
        llRegionSayTo(who, 0, text);
}

string field(string name, string value)
{
    return "&" + name + "=" + llEscapeURL(value);
}

// Put a request in the queue; it goes out as soon as the budget allows.
enqueue(string verb, string body)
{
    gQueue += [NULL_KEY, verb, body, 0, llGetTime()];
    pump();
}

// A human action: bounded, and refused aloud when too many wait.
act(string verb, key who, string name, string more)
{
    if (gDevice == "" || llGetListLength(gQueue) >= QUEUE_MAX * STRIDE)
    {
        whisperTo(who, "The table cannot reach its server just now. It goes on by itself; try again in a moment.");
        return;
    }
    enqueue(verb, field("id", (string)llGenerateKey()) + "&a=" + (string)who
        + field("n", name) + more);
}

// Is a request of this kind on its way already?
integer asking(string verb)
{
    return llListFindList(gQueue, [verb]) != -1;
}

string nameOf(key who)
{
    string name = llGetDisplayName(who);
    if (name == "" || name == "???" || name == "Loading...")
        name = llKey2Name(who);
    return name;
}

poll()
{
    if (gDevice == "" || gSeq == 0)
        hello();
    else if (!asking("hello") && !asking("poll"))
        enqueue("poll", "");
}

hello()
{
    if (gServer != "" && !asking("hello"))
        enqueue("hello", "");
}

string helloBody()
{
    return "o=" + (string)llGetKey() + field("owner", (string)llGetOwner())
        + field("name", llKey2Name(llGetOwner())) + field("d", gDevice) + field("k", gSecret)
        + field("key", setting("key")) + field("table", setting("table"))
        + field("theme", setting("theme"))
        + field("title", llGetObjectName()) + field("region", llGetRegionName()) + field("u", gUrl)
        + field("v", VERSION) + field("sets", gSets) + field("troubles", gTroubles);
}

string actBody(string body)
{
    return "d=" + gDevice + "&k=" + gSecret + "&o=" + (string)llGetKey() + "&since=" + (string)gSeq
        + field("u", gUrl) + body;
}

// Send what waits, oldest first, as far as the budget goes.
pump()
{
    float now = llGetTime();
    if (gServer == "")
        return;
    while (gSent != [] && llList2Float(gSent, 0) < now - BUDGET_S)
        gSent = llDeleteSubList(gSent, 0, 0);
    integer i;
    for (i = 0; i < llGetListLength(gQueue) && llGetListLength(gSent) < BUDGET; i += STRIDE)
    {
        if (llList2Key(gQueue, i) == NULL_KEY && llList2Float(gQueue, i + 4) <= now)
        {
            string verb = llList2String(gQueue, i + 1);
            string body = llList2String(gQueue, i + 2);
            if (verb == "hello")
                body = helloBody();
            else
                body = actBody(body);
            key request = llHTTPRequest(gServer + "/lsl/v1/" + verb,
                [HTTP_METHOD, "POST", HTTP_MIMETYPE, "application/x-www-form-urlencoded",
                 HTTP_BODY_MAXLENGTH, BODY_MAX, HTTP_VERBOSE_THROTTLE, FALSE], body);
            gSent += now;
            if (request == NULL_KEY)
            {
                // The region holds this object back, the longer the more it asks.
                again(i, now);
                return;
            }
            gQueue = llListReplaceList(gQueue, [request, verb, llList2String(gQueue, i + 2),
                llList2Integer(gQueue, i + 3), now + ANSWER_S], i, i + STRIDE - 1);
        }
    }
}

// Tell somebody about his action, if the request was one.
tell(string body, string text)
{
    integer at = llSubStringIndex(body, "&a=");
    if (at != -1)
        whisperTo(llGetSubString(body, at + 3, at + 38), text);
}

// The request at place i failed: the same one goes again later, or is given up.
again(integer i, float now)
{
    string verb = llList2String(gQueue, i + 1);
    integer tries = llList2Integer(gQueue, i + 3) + 1;
    string body = llList2String(gQueue, i + 2);
    if (tries == 1)
        tell(body, "The server does not answer just now. The table tries again by itself.");
    if (tries >= TRIES && llSubStringIndex(body, "&a=") != -1)
    {
        gQueue = llDeleteSubList(gQueue, i, i + STRIDE - 1);
        tell(body, "The server did not answer. Touch the table again in a moment.");
        return;
    }
    float pause = WAIT_FIRST_S * llPow(2.0, tries - 1);
    if (pause > WAIT_MOST_S)
        pause = WAIT_MOST_S;
    gQueue = llListReplaceList(gQueue, [NULL_KEY, verb, body, tries, now + jitter(pause)],
        i, i + STRIDE - 1);
}

// What the server says: paint what is new, tell whom it concerns.  from 0 is the whole board.
take(string body)
{
    list records = llParseStringKeepNulls(body, ["\n"], []);
    list head = llParseStringKeepNulls(llList2String(records, 0), [FIELD], []);
    integer from = llList2Integer(head, 1);
    integer to = llList2Integer(head, 2);
    integer known = gSeq;
    integer fresh = from == 0 || (from <= known && to >= known);
    if (from == 0)
        known = 0;
    integer i;
    integer length = llGetListLength(records);
    for (i = 1; i < length; ++i)
    {
        string line = llList2String(records, i);
        string kind = llGetSubString(line, 0, 0);
        if (kind == "L" || kind == "P" || kind == "I" || kind == "U")
            hear(kind, llParseStringKeepNulls(line, [FIELD], []), known, fresh);
    }
    // The others pick their records from the body; it says first what of it is news.
    string news = "D";
    if (fresh)
        news = "A" + (string)known;
    llMessageLinked(LINK_THIS, MSG_NEWS, body, (key)news);
    if (fresh && llList2String(head, 0) == "S")
        gSeq = to;
}

hear(string kind, list fields, integer known, integer fresh)
{
    integer seq = llList2Integer(fields, 1);
    if (kind == "I")
    {
        gDevice = llList2String(fields, 1);
        if (llList2String(fields, 2) != "")
            gSecret = llList2String(fields, 2);
        llLinksetDataWriteProtected(DATA_DEVICE, gDevice + " " + gSecret + " "
            + (string)llGetOwner(), DATA_PASS);
    }
    else if (kind == "U")
        newUrl();
    else if (kind == "L" && fresh && seq > known)
        llSay(0, llReplaceSubString(llList2String(fields, 2), BREAK, "\n", 0));
    else if (kind == "P" && (seq == 0 || (fresh && seq > known)))
        whisperTo(llList2Key(fields, 2),
            llReplaceSubString(llList2String(fields, 3), BREAK, "\n", 0));
}

newUrl()
{
    if (gUrl != "")
        llReleaseURL(gUrl);
    gUrl = "";
    gUrlAt = 0.0;
    gUrlRequest = llRequestSecureURL();
}

readNotecard()
{
    gServer = "";
    gSettings = [""];
    gLine = 0;
    if (llGetInventoryType(NOTECARD) == INVENTORY_NOTECARD)
        gLineRequest = llGetNotecardLine(NOTECARD, gLine);
    else
        llOwnerSay("Put a notecard “" + NOTECARD + "” into this table with a line like: server = https://…");
}

// The value of a setting of the notecard, or "".
string setting(string name)
{
    return llList2String(gSettings, llListFindList(gSettings, [name + "="]) + 1);
}

// Who this table is, if it has been registered for this owner.
remember()
{
    list known = llParseString2List(llLinksetDataReadProtected(DATA_DEVICE, DATA_PASS), [" "], []);
    gDevice = gSecret = "";
    if (llList2String(known, 2) == (string)llGetOwner())
    {
        gDevice = llList2String(known, 0);
        gSecret = llList2String(known, 1);
    }
    else
        llLinksetDataDeleteProtected(DATA_DEVICE, DATA_PASS);
}

// Register anew with what is known: after a start, a re-rez, a restart of the region.
begin()
{
    gQueue = [];
    gSeq = 0;
    gPollAt = llGetTime() + 1.0;
    remember();
    newUrl();
}

default
{
    state_entry()
    {
        begin();
        readNotecard();
        llSetTimerEvent(1.0);
    }

    on_rez(integer start)
    {
        gUrl = "";
        begin();
    }

    changed(integer change)
    {
        if (change & CHANGED_OWNER)
            llResetScript();
        if (change & (CHANGED_REGION | CHANGED_REGION_START | CHANGED_TELEPORT))
        {
            gUrl = "";
            begin();
        }
        if (change & CHANGED_INVENTORY)
            readNotecard();
    }

    dataserver(key request, string line)
    {
        if (request != gLineRequest)
            return;
        if (line != EOF)
        {
            integer equals = llSubStringIndex(line, "=");
            if (equals > 0 && llGetSubString(line, 0, 0) != "#")
                gSettings += [llToLower(llStringTrim(llGetSubString(line, 0, equals - 1), STRING_TRIM))
                    + "=", llStringTrim(llDeleteSubString(line, 0, equals), STRING_TRIM)];
            gLine += 1;
            gLineRequest = llGetNotecardLine(NOTECARD, gLine);
        }
        else if (setting("server") == "")
            llOwnerSay("The notecard “" + NOTECARD + "” has no line “server = …”.");
        else
        {
            gServer = setting("server");
            hello();
        }
    }

    touch_start(integer count)
    {
        integer i;
        for (i = 0; i < count; ++i)
        {
            integer link = llDetectedLinkNumber(i);
            string name = llGetLinkName(link);
            if (llSubStringIndex(name, "FURWARE text mesh:Leaderboard:") == 0)
                llMessageLinked(LINK_THIS, MSG_CELL, (string)link + FIELD
                    + (string)llDetectedTouchFace(i), llDetectedKey(i));
            else
                act("touch", llDetectedKey(i), nameOf(llDetectedKey(i)), "");
        }
    }

    link_message(integer sender, integer number, string text, key id)
    {
        if (number == MSG_PRESS)
        {
            list press = llParseStringKeepNulls(text, [FIELD], []);
            act("press", id, nameOf(id), field("t", llList2String(press, 0))
                + field("b", llList2String(press, 1)));
        }
        else if (number == MSG_TOUCH)
            act("touch", id, nameOf(id), text);
        else if (number == MSG_SETS)
        {
            integer other = gSets != text;
            gSets = text;
            if (other && gDevice != "")
                hello();
        }
        else if (number == MSG_AGAIN)
        {
            // The prims were found anew: the whole board, please.
            gSeq = 0;
            poll();
        }
        else if (number == MSG_REPORT)
        {
            gTroubles = text;
            if (text != "" && text != gToldTroubles)
                llOwnerSay(text);
            gToldTroubles = text;
        }
    }

    http_request(key id, string method, string body)
    {
        if (method == URL_REQUEST_GRANTED && id == gUrlRequest)
        {
            gUrl = body;
            poll();
        }
        else if (method == URL_REQUEST_DENIED && id == gUrlRequest)
            gUrlAt = llGetTime() + jitter(URL_AGAIN_S);
        else if (method == "POST")
        {
            take(body);
            llHTTPResponse(id, 200, (string)gSeq);
        }
        else
            llHTTPResponse(id, 405, "");
    }

    http_response(key request, integer status, list meta, string body)
    {
        integer i = llListFindList(gQueue, [request]);
        if (i == -1)
            return;
        string verb = llList2String(gQueue, i + 1);
        string sent = llList2String(gQueue, i + 2);
        integer later = status == 429 || status >= 499;
        if (later || (status == 401 && verb != "poll"))
            again(i, llGetTime());
        else
            gQueue = llDeleteSubList(gQueue, i, i + STRIDE - 1);
        if (status == 200)
        {
            list head = llParseStringKeepNulls(
                llGetSubString(body, 0, llSubStringIndex(body + "\n", "\n") - 1), [FIELD], []);
            integer refused = verb == "hello" && llList2Integer(head, 2) == 0;
            if (!refused || body != gRefused)
                take(body);
            gRefused = "";
            if (refused)
                gRefused = body;
            if (llList2String(head, 0) == "M")
                enqueue("poll", "&to=" + llList2String(head, 2) + "&more=" + llList2String(head, 3)
                    + "&from=" + llList2String(head, 1));
            else
                gPollAt = llGetTime() + jitter((float)llList2String(head, 3));
        }
        else if (status == 401)
        {
            // The server does not know this table (any more): it introduces itself anew.
            gSeq = 0;
            hello();
        }
        else if (!later)
        {
            gPollAt = llGetTime() + jitter(WAIT_MOST_S);
            tell(sent, "This table cannot play just now. Its owner has been told why.");
        }
        pump();
    }

    timer()
    {
        float now = llGetTime();
        integer i;
        for (i = 0; i < llGetListLength(gQueue); i += STRIDE)
            if (llList2Key(gQueue, i) != NULL_KEY && llList2Float(gQueue, i + 4) < now)
                again(i, now);
        if (gUrlAt > 0.0 && now > gUrlAt)
            newUrl();
        if (now >= gPollAt)
        {
            gPollAt = now + jitter(WAIT_MOST_S);
            poll();
        }
        pump();
    }
}
