/* The language server.  An input is a text that an editor opens and asks everything about; or, if
 * it begins with '{', messages, a line for each; or, if it begins with a header, what the server
 * reads, as it is.  Every question about a text is answered, in its turn, and places lie in it. */
#include <assert.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frame.h"
#include "fuzz.h"
#include "lsp/lsp.h"

enum { MOST_LINES = 30, PLACES = 2, MOST_TEXT = 1 << 12 };

static const char HEADER[] = "Content-Length:", URI[] = "untitled:tests/asm/good/fuzzed.pto";

static const char *const words[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"textDocument/", "hover\"", "completion\"",
    ",\"params\":{\"textDocument\":{\"uri\":\"untitled:k.pto\"}", "}}\n",
    "{\"line\":3,\"character\":7}", "\"position\":", "\"range\":{\"start\":", "\"text\":\"",
    "\"newName\":\"fresh\"", "\\n", ".macro m a, b\n", ".endm\n", ".kernel k\n.core aiv\n",
    ".tile t[2] : ub f32[8, 64]\n", ".param n : i64\n", ".in a : f32[n]\n", ".equ A = 3\n",
    ".for %i = 0 to 4\n", ".endfor\n", ".if ", ".endif\n", ".include \"fuzzed.pto\"\n",
    "TADD t[0], t[1], t[0]\n", "m 1, 2\n", "\\", "\"", "\xf0\x9f\x98\x80", "\xff",
    "\xed\xa0\x80", "%", "x:\n", ";", "null", "-1", "4294967296", "1e999", "[", "{", NULL};

static const char *const alike[] = {
    "hover definition references documentSymbol rename inlayHint foldingRange formatting "
    "codeAction completion didOpen didChange didClose",
    "initialize shutdown exit", "0 1 2 3 9 64 4294967295",
    "TADD TLOAD set_flag wait_flag print m t", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    if (!fuzz_below(state, 3))
        return fuzz_swap(data, size, most, alike, state);
    return fuzz_change_text(data, size, most, words, state);
}

/* ---- what is asked ---- */

/* Takes the message over. */
static void say(int to, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);

    assert(text && pto_frame_write(to, text, strlen(text)));
    free(text);
    json_decref(message);
}

static void ask(int to, int *id, const char *method, json_t *params)
{
    say(to, json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", ++*id, "method", method,
                      "params", params));
}

static void ask_about(int to, int *id, const char *method, unsigned line, unsigned column)
{
    ask(to, id, method,
        json_pack("{s:{s:s}, s:{s:i, s:i}, s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:s}", "textDocument",
                  "uri", URI, "position", "line", line, "character", column, "range", "start",
                  "line", line, "character", column, "end", "line", line + 2, "character", column,
                  "newName", "fresh"));
}

/* Open the text, ask everything at some places; the number of questions. */
static int write_questions(int to, const uint8_t *data, size_t size)
{
    static const char *const methods[] = {
        "textDocument/hover", "textDocument/definition", "textDocument/references",
        "textDocument/documentSymbol", "textDocument/rename", "textDocument/inlayHint",
        "textDocument/foldingRange", "textDocument/formatting", "textDocument/codeAction",
        "textDocument/completion"};
    json_t *text = json_stringn((const char *)data, size < MOST_TEXT ? size : MOST_TEXT);
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) + size;
    unsigned lines = 1;
    int id = 1;

    if (!text) /* not UTF-8, or too odd for JSON */
        return id;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    say(to, json_pack("{s:s, s:s, s:{s:{s:s, s:o}}}", "jsonrpc", "2.0", "method",
                      "textDocument/didOpen", "params", "textDocument", "uri", URI, "text", text));
    for (unsigned place = 0; place < PLACES; place++) {
        unsigned line = (unsigned)fuzz_below(&state, lines + 1);

        for (unsigned m = 0; m < sizeof methods / sizeof *methods; m++)
            ask_about(to, &id, methods[m], line, (unsigned)fuzz_below(&state, 24));
    }
    return id;
}

static void write_lines(int to, const uint8_t *data, size_t size)
{
    char text[FUZZ_MOST_BYTES + 1];
    int lines = 0;

    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok(text, "\n"); line && lines < MOST_LINES; line = strtok(NULL, "\n")) {
        assert(pto_frame_write(to, line, strlen(line)));
        lines++;
    }
}

/* ---- what is answered ---- */

/* A place of the protocol as one number that grows with it. */
static long long place_of(const json_t *place)
{
    long long line = json_integer_value(json_object_get(place, "line"));
    long long column = json_integer_value(json_object_get(place, "character"));

    assert(line >= 0 && column >= 0);
    return line << 32 | column;
}

/* Ranges in the text that was opened begin in it, and do not end before they begin. */
static void check_ranges(json_t *value, long long lines)
{
    json_t *start = json_object_get(value, "start"), *end = json_object_get(value, "end"), *part;
    const char *uri = json_string_value(json_object_get(value, "uri")), *key;
    size_t i;

    if (uri && strcmp(uri, URI) != 0)
        return;
    if (json_is_object(start) && json_is_object(end)) {
        assert(place_of(start) <= place_of(end));
        assert(place_of(start) >> 32 < lines);
    }
    json_object_foreach(value, key, part)
        check_ranges(part, lines);
    json_array_foreach(value, i, part)
        check_ranges(part, lines);
}

/* Read everything that the server wrote; the number of answers to questions with a number. */
static int check_answers(int from, bool one_text, long long lines)
{
    struct pto_frames frames = {.fd = from};
    const char *text, *why;
    size_t length;
    int answers = 0;
    enum pto_frame_state state;

    while ((state = pto_frame_read(&frames, &text, &length, &why)) == PTO_FRAME_WHOLE) {
        json_t *message = json_loadb(text, length, 0, NULL);
        const json_t *id = json_object_get(message, "id");

        assert(message);
        if (json_is_integer(id)) {
            answers++;
            assert(!one_text || json_integer_value(id) == answers);
        }
        if (one_text)
            check_ranges(message, lines);
        json_decref(message);
    }
    assert(state == PTO_FRAME_END);
    pto_frames_free(&frames);
    return answers;
}

/* ---- the whole ---- */

static bool explain(const char *mnemonic, struct pto_buf *out, const char **nearest)
{
    *nearest = "TADD";
    if (strcmp(mnemonic, "TADD") != 0)
        return false;
    pto_buf_printf(out, "# TADD\n");
    return true;
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    const struct lsp_host host = {.explain = explain};
    int in = memfd_create("messages", 0), out = memfd_create("answers", 0), asked = 1;
    bool raw = size >= sizeof HEADER - 1 && !memcmp(data, HEADER, sizeof HEADER - 1);
    bool one_text = !raw && (size == 0 || data[0] != '{');
    long long lines = 1;
    const char *why = NULL;
    enum lsp_end end;

    (void)name;
    assert(in >= 0 && out >= 0);
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    say(in, json_pack("{s:s, s:i, s:s, s:{}}", "jsonrpc", "2.0", "id", 1, "method", "initialize",
                      "params"));
    if (raw)
        asked += write(in, data, size) != (ssize_t)size;
    else if (one_text)
        asked = write_questions(in, data, size);
    else
        write_lines(in, data, size);
    lseek(in, 0, SEEK_SET);
    end = lsp_serve(&host, in, out, &why);
    assert(end == LSP_END_SHUT_DOWN || why);
    lseek(out, 0, SEEK_SET);
    asked -= check_answers(out, one_text, lines);
    assert(!one_text || asked == 0);
    close(in);
    close(out);
}
