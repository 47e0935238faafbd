#include "dbg/paint.h"

#include <string.h>

#define RED "\033[1;31m"
#define YELLOW "\033[1;33m"
#define GREEN "\033[1;32m"
#define CYAN "\033[36m"

static const char PLAIN[] = "\033[0m";

/* Lines that begin with `begins` have this in colour, up to `until` (that left out). */
static const struct {
    const char *begins, *until, *colour;
} KINDS[] = {
    {"error:", " ", RED},
    {"  hint:", " ", CYAN},
    {"Breakpoint ", ",:", YELLOW},
    {"Catchpoint ", ",:", YELLOW},
    {"Watchpoint ", ",:", YELLOW},
    {"finding ", ":", RED},
    {"   =>", " ", GREEN},
    {"* ", " ", GREEN},
    {"The program ", "\n", GREEN},
};

/* Of "k.pto:9:5: fault: ..." */
static const char *const ENDS[] = {": fault:", ": deadlock:", ": limit:"};

static void put(struct pto_buf *out, const char *text, size_t length, const char *colour)
{
    pto_buf_printf(out, "%s", colour);
    pto_buf_append(out, text, length);
    pto_buf_printf(out, "%s", PLAIN);
}

void paint_line(const char *line, size_t length, struct pto_buf *out)
{
    for (unsigned i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        size_t begins = strlen(KINDS[i].begins), end = begins;

        if (length < begins || memcmp(line, KINDS[i].begins, begins) != 0)
            continue;
        while (end < length && line[end] != '\n' && !strchr(KINDS[i].until, line[end]))
            end++;
        put(out, line, end, KINDS[i].colour);
        pto_buf_append(out, line + end, length - end);
        return;
    }
    for (unsigned i = 0; i < sizeof ENDS / sizeof *ENDS; i++) {
        const char *at = memmem(line, length, ENDS[i], strlen(ENDS[i]));

        if (!at || line[0] == ' ')
            continue;
        pto_buf_append(out, line, (size_t)(at + 2 - line));
        put(out, at + 2, strlen(ENDS[i]) - 2, RED);
        at += strlen(ENDS[i]);
        pto_buf_append(out, at, (size_t)(line + length - at));
        return;
    }
    pto_buf_append(out, line, length);
}
