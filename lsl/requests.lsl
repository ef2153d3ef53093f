// Peril Table, requests.  Sends what people do, and what the link script asks, to the server: few at a
// time, and the same one again until there is an answer.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD      = "¦";
integer MSG_TOLD   = 7302;
integer MSG_ACT    = 7303;
integer MSG_WHO    = 7304;
integer MSG_ANSWER = 7305;
integer MSG_ASK    = 7307;
// ---- end of the shared words ----

integer QUEUE_MAX    = 12;   // human actions that may wait at one time
integer BURST        = 10;   // requests at once, and then RATE in a second: never 25 in 20 seconds
float   RATE         = 0.7;
float   ANSWER_S     = 62.0; // after 60 s the region has thrown an answer away
float   WAIT_FIRST_S = 2.0;  // first pause before the same request goes again
float   WAIT_MOST_S  = 60.0;
integer TRIES        = 5;    // of a human action; asking for news goes on for ever
integer STRIDE       = 6;    // of gQueue
string  DATA_DEVICE  = "peril:device"; // linkset data: who this table is, written by the link script
string  DATA_PASS    = "peril:table";
integer UNREACHED    = 0;    // places in gWords
integer SILENT       = 1;
integer REFUSED      = 2;

string gServer;     // address of the server
string gWho;        // ¦name¦value… of every request: who this table is, what it has painted; or nothing
list   gQueue;      // [request or NULL_KEY, verb, avatar or "", fields, tries, when] under way
float  gRoom;       // requests that may go out now
float  gRoomAt;     // since when
integer gLost;      // requests without an answer since this script began
// What is said where no server says it.  One that was reached gave its own words, a record W.
list    gWords = ["The table cannot reach its server just now. Touch it again in a moment.",
    "The server does not answer just now. The table tries again by itself.",
    "This table cannot play just now. Its owner has been told why."];

// Let the controller say something to the avatar who acted, if one did.
tell(string avatar, integer word)
{
    if (avatar != "")
        llMessageLinked(LINK_THIS, MSG_TOLD, llDumpList2String(["P", 0, avatar,
            llList2String(gWords, word)], FIELD), NULL_KEY);
}

// A human action: bounded, and refused aloud when too many wait.
act(key who, string verb, string fields)
{
    if (gWho == "" || llGetListLength(gQueue) >= QUEUE_MAX * STRIDE)
    {
        tell(who, UNREACHED);
        return;
    }
    string name = llGetDisplayName(who);
    if (llListFindList(["", "???", "Loading..."], [name]) != -1)
        name = llKey2Name(who);
    gQueue += [NULL_KEY, verb, who, llDumpList2String(["", "id", llGenerateKey(), "a", who, "n",
        llReplaceSubString(name, FIELD, "|", 0)], FIELD) + fields, 0, 0.0];
}

// ¦name¦value… as a form.
string form(list fields)
{
    string out;
    integer i;
    for (i = 2; i < llGetListLength(fields); i += 2)
        out += "&" + llList2String(fields, i - 1) + "=" + llEscapeURL(llList2String(fields, i));
    return llDeleteSubString(out, 0, 0);
}

// The same form signed anew each time it goes out, if this table is paired.
string sign(string verb, string body)
{
    string secret = llList2String(llParseString2List(
        llLinksetDataReadProtected(DATA_DEVICE, DATA_PASS), [" "], []), 1);
    if (secret == "")
        return body;
    body += "&ts=" + (string)llGetUnixTime() + "&nonce=" + (string)llGenerateKey();
    return body + "&sig=" + llEscapeURL(llHMAC(secret, verb + "\n" + body, "sha256"));
}

// Send what waits, oldest first, as far as there is room.
pump()
{
    float now = llGetTime();
    gRoom += (now - gRoomAt) * RATE;
    gRoomAt = now;
    if (gRoom > BURST)
        gRoom = BURST;
    integer i;
    for (i = 0; i < llGetListLength(gQueue) && gRoom >= 1.0 && gServer != ""; i += STRIDE)
    {
        if (llList2Key(gQueue, i) == NULL_KEY && llList2Float(gQueue, i + 5) <= now)
        {
            string verb = llList2String(gQueue, i + 1);
            key request = llHTTPRequest(gServer + "/lsl/v1/" + verb,
                [HTTP_METHOD, "POST", HTTP_MIMETYPE, "application/x-www-form-urlencoded",
                HTTP_VERBOSE_THROTTLE, FALSE],
                sign(verb, form(llParseStringKeepNulls(gWho + llList2String(gQueue, i + 3), [FIELD], []))));
            gRoom -= 1.0;
            if (request == NULL_KEY)
            {
                // The region holds this object back, the longer the more it asks.
                again(i, now);
                return;
            }
            gQueue = llListReplaceList(gQueue, [request], i, i);
            gQueue = llListReplaceList(gQueue, [now + ANSWER_S], i + 5, i + 5);
        }
    }
}

// The request at place i failed: the same one goes again later, or is given up.
again(integer i, float now)
{
    string avatar = llList2String(gQueue, i + 2);
    integer tries = llList2Integer(gQueue, i + 4) + 1;
    if (tries == 1)
        tell(avatar, SILENT);
    if (tries >= TRIES && avatar != "")
    {
        gQueue = llDeleteSubList(gQueue, i, i + STRIDE - 1);
        tell(avatar, UNREACHED);
        return;
    }
    float pause = WAIT_FIRST_S * llPow(2.0, tries - 1);
    if (pause > WAIT_MOST_S)
        pause = WAIT_MOST_S;
    gQueue = llListReplaceList(gQueue, [NULL_KEY], i, i);
    gQueue = llListReplaceList(gQueue, [tries, now + pause * (0.8 + llFrand(0.4))], i + 4, i + 5);
}

default
{
    state_entry()
    {
        llMessageLinked(LINK_THIS, MSG_ASK, "", NULL_KEY);
        llSetTimerEvent(1.0);
    }

    link_message(integer sender, integer number, string text, key who)
    {
        if (number != MSG_WHO && number != MSG_ACT)
            return;
        integer cut = llSubStringIndex(text + FIELD, FIELD);
        string word = llGetSubString(text, 0, cut - 1);
        string fields = llDeleteSubString(text, 0, cut - 1);
        if (number == MSG_WHO)
        {
            gServer = word;
            gWho = fields;
            if (word == "") // the link script begins anew
                gQueue = [];
        }
        else if (who != NULL_KEY)
            act(who, word, fields);
        // Of the table's own requests one at a time is enough.  This script's memory goes before link's.
        else if (llListFindList(gQueue, ["hello"]) == -1 && llListFindList(gQueue, [word]) == -1)
            gQueue += [NULL_KEY, word, "", llReplaceSubString(fields, FIELD + "m" + FIELD, FIELD + "m"
                + FIELD + (string)llGetFreeMemory() + "." + (string)gLost + ".", 1), 0, 0.0];
        pump();
    }

    http_response(key request, integer status, list meta, string body)
    {
        integer i = llListFindList(gQueue, [request]);
        if (i == -1)
            return;
        string avatar = llList2String(gQueue, i + 2);
        gLost += status >= 499;
        if (status == 429 || status >= 499 || (status == 401 && llList2String(gQueue, i + 1) != "poll"))
            again(i, llGetTime());
        else
            gQueue = llDeleteSubList(gQueue, i, i + STRIDE - 1);
        integer at = llSubStringIndex(body, "\nW" + FIELD);
        if (status == 200 && at != -1)
        {
            string words = llDeleteSubString(body, 0, at + 2);
            gWords = llParseStringKeepNulls(llGetSubString(words, 0,
                llSubStringIndex(words + "\n", "\n") - 1), [FIELD], []);
        }
        if (status == 200)
            llMessageLinked(LINK_THIS, MSG_ANSWER, body, NULL_KEY);
        else if (status == 401)
            llMessageLinked(LINK_THIS, MSG_ANSWER, "", NULL_KEY);
        else if (status < 499 && status != 429)
            tell(avatar, REFUSED);
        pump();
    }

    timer()
    {
        float now = llGetTime();
        integer i;
        for (i = 0; i < llGetListLength(gQueue); i += STRIDE)
            if (llList2Key(gQueue, i) != NULL_KEY && llList2Float(gQueue, i + 5) < now)
                again(i, now);
        pump();
    }
}
