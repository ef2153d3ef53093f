// Peril Table, dialogs.  Shows each avatar his own dialog and hands his press to the link script.
// llDialog holds a script for a second, so this is nobody else's work.  MIT licence.

// ---- words shared with the server: written by `peril lsl`, not by hand ----
string  FIELD    = "¦";
string  BREAK    = "¶";
integer MSG_NEWS = 7301;
integer MSG_TOLD = 7302;
integer MSG_ACT  = 7303;
// ---- end of the shared words ----

integer OPEN_MAX  = 40;  // dialogs that may be open; a script may have 65 listens
integer TYPED_MAX = 100; // signs of a press or a typed text that go to the server
integer STRIDE    = 4;   // of gOpen

list gOpen; // [avatar, channel, listen, token], the oldest first

// Forget the dialog of an avatar: whatever is pressed in it from now on is not heard.
drop(integer i)
{
    llListenRemove(llList2Integer(gOpen, i + 2));
    gOpen = llDeleteSubList(gOpen, i, i + STRIDE - 1);
}

open(key who, integer seq, string token, string text, list buttons, integer typed)
{
    integer i = llListFindList(gOpen, [who]);
    // News may come twice; the same dialog is shown again only to him who asks for it.
    if (i != -1 && seq != 0 && llList2String(gOpen, i + 3) == token)
        return;
    if (i != -1)
        drop(i);
    if (llGetListLength(gOpen) >= OPEN_MAX * STRIDE)
        drop(0);
    integer channel = -1 - (integer)("0x" + llGetSubString((string)llGenerateKey(), 0, 6));
    gOpen += [who, channel, llListen(channel, "", who, ""), token];
    if (typed)
        llTextBox(who, text, channel);
    else
        llDialog(who, text, buttons, channel);
}

default
{
    link_message(integer sender, integer number, string body, key news)
    {
        if (number != MSG_NEWS && number != MSG_TOLD)
            return;
        list records = llParseString2List(body, ["\n"], []);
        integer i;
        integer length = llGetListLength(records);
        for (i = 0; i < length; ++i)
        {
            string kind = llGetSubString(llList2String(records, i), 0, 0);
            if (kind == "D" || kind == "B")
            {
                list fields = llParseStringKeepNulls(llList2String(records, i), [FIELD], []);
                integer seq = llList2Integer(fields, 1);
                if (seq == 0 || number == MSG_NEWS)
                    open(llList2Key(fields, 2), seq, llList2String(fields, 3),
                        llReplaceSubString(llList2String(fields, 4), BREAK, "\n", 0),
                        llList2List(fields + "", 5, -2), kind == "B");
            }
        }
    }

    listen(integer channel, string name, key who, string pressed)
    {
        integer i = llListFindList(gOpen, [who]);
        if (i == -1 || llList2Integer(gOpen, i + 1) != channel)
            return;
        string token = llList2String(gOpen, i + 3);
        drop(i);
        pressed = llGetSubString(llReplaceSubString(pressed, FIELD, "|", 0), 0, TYPED_MAX - 1);
        llMessageLinked(LINK_THIS, MSG_ACT, llDumpList2String(["press", "t", token, "b", pressed],
            FIELD), who);
    }

    changed(integer change)
    {
        if (change & (CHANGED_OWNER | CHANGED_REGION_START))
            llResetScript();
    }
}
