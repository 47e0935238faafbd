/* Scripts of the debugger, over tests/dbg/add.pto of the source folder (PTO_SOURCE_DIR). */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/dbg.h"
#include "fuzz.h"

enum { MOST_LINES = 12 };

static const char *const words[] = {
    "run\n", "start\n", "continue\n", "step 3\n", "next\n", "until ", "finish\n", "pipe V 2\n",
    "goto 40\n", "goto-time 7us\n", "reverse-step\n", "reverse-continue\n", "break TADD\n",
    "tbreak 20 if %off > 64\n", "catch set\n", "ignore 1 2\n", "delete 1\n", "disable 1\n",
    "focus 0.aiv0.1 MTE2\n", "info cores\n", "info queues\n", "info tiles\n", "info events 5\n",
    "info locals\n", "print %off * 4\n", "print/x a[0]{1, 8}\n", "print ta[1](0, 4)\n", "why\n",
    "where\n", "list\n", "display %off\n", "undisplay 1\n", "help\n", "x ", "-1", "\"", "(", "[",
    "{", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    return fuzz_change_text(data, size, most, words, state);
}

static char *read_nothing(void *context, const char *prompt)
{
    (void)context;
    (void)prompt;
    return NULL;
}

static void write_nowhere(void *context, const char *text, size_t length)
{
    (void)context;
    (void)text;
    (void)length;
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    const struct dbg_terminal terminal = {.read = read_nothing, .write = write_nowhere};
    const char *root = getenv("PTO_SOURCE_DIR");
    char path[4096], text[FUZZ_MOST_BYTES + 1];
    char *argv[] = {"ptodbg", path, "--profile", "toy", "--cores", "1", "--set", "n=200",
                    "--in", "a=iota", "--in", "b=ones", NULL};
    struct cli_options options = {0};
    struct pto_diags diags = {0};
    struct dbg *dbg;
    enum pto_status status;
    int lines = 0;

    (void)name;
    snprintf(path, sizeof path, "%s/tests/dbg/add.pto", root ? root : ".");
    status = cli_options_parse(&options, 12, argv, CLI_DEBUG, &diags);
    assert(status == PTO_OK);
    status = dbg_create(&options, &terminal, &diags, &dbg);
    assert(status == PTO_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line && lines < MOST_LINES; line = strtok(NULL, "\n")) {
        if (strncmp(line + strspn(line, " \t\r"), "sa", 2) != 0) /* save writes files */
            dbg_command(dbg, line);
        lines++;
    }
    dbg_free(dbg);
    cli_options_free(&options);
    pto_diags_free(&diags);
}
