/* The debugger for editors: messages of the Debug Adapter Protocol, a line for each, to a debugger
 * that has launched tests/dbg/add.pto of the source folder (PTO_SOURCE_DIR).  Lines get their
 * header here, unless the first one begins with a header of its own. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dap/dap.h"
#include "fuzz.h"

enum { MOST_LINES = 30 };

static const char HEADER[] = "Content-Length:";

static const char *const words[] = {
    "{\"seq\":7,\"type\":\"request\",\"command\":\"", "next", "continue", "stepBack", "variables",
    "\",\"arguments\":{", "\"threadId\":2", "\"frameId\":2", "\"variablesReference\":1",
    "\"start\":1", "\"count\":3", "\"expression\":\"ta[0]{1, 8}\"",
    "\"context\":\"repl\"", "\"name\":\"%off\"",
    "\"breakpoints\":[{\"line\":9}]", "\"source\":{\"path\":\"add.pto\"}", "\"filters\":[\"nan\"]",
    "\"condition\":\"%off > 3\"", "\"hitCondition\":\"2\"", "\"dataId\":\"3 c[3]\"", "\"levels\":2",
    "}}\n", "null", "-1", "9223372036854775807", "1e999", "[", "{", "\"", "\\ud800", "\xff",
    ",", NULL};

static const char *const alike[] = {
    "setBreakpoints setFunctionBreakpoints setExceptionBreakpoints setDataBreakpoints",
    "threads stackTrace scopes variables evaluate exceptionInfo dataBreakpointInfo",
    "continue next stepIn stepOut stepBack reverseContinue pause restart terminate disconnect",
    "launch initialize configurationDone", "0 1 2 3 4 9 16 64", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    if (!fuzz_below(state, 3))
        return fuzz_swap(data, size, most, alike, state);
    return fuzz_change_text(data, size, most, words, state);
}

static void say(int to, const char *line)
{
    dprintf(to, "%s %zu\r\n\r\n%s", HEADER, strlen(line), line);
}

static void write_messages(int to, const uint8_t *data, size_t size)
{
    char text[FUZZ_MOST_BYTES + 1];
    int lines = 0;

    say(to, "{\"seq\":1,\"type\":\"request\",\"command\":\"launch\",\"arguments\":"
            "{\"stopOnEntry\":true}}");
    say(to, "{\"seq\":2,\"type\":\"request\",\"command\":\"configurationDone\"}");
    memcpy(text, data, size);
    text[size] = '\0';
    if (!strncmp(text, HEADER, sizeof HEADER - 1)) {
        ssize_t written = write(to, data, size);

        assert(written == (ssize_t)size);
        return;
    }
    for (char *line = strtok(text, "\n"); line && lines < MOST_LINES; line = strtok(NULL, "\n")) {
        say(to, line);
        lines++;
    }
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    const char *root = getenv("PTO_SOURCE_DIR"), *why;
    char path[4096];
    char *argv[] = {"ptodbg", "--dap", "--profile", "toy", "--cores", "1", "--timeout", "2s",
                    "--set", "n=200", "--in", "a=iota", "--in", "b=ones", path, NULL};
    int in = memfd_create("messages", 0), out = open("/dev/null", O_WRONLY);
    enum dbg_exit code;

    (void)name;
    assert(in >= 0 && out >= 0);
    snprintf(path, sizeof path, "%s/tests/dbg/add.pto", root ? root : ".");
    write_messages(in, data, size);
    lseek(in, 0, SEEK_SET);
    code = dap_serve(15, argv, in, out, &why);
    assert(code == DBG_EXIT_DONE || (code == DBG_EXIT_USAGE && why));
    close(in);
    close(out);
}
