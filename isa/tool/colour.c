#include "colour.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void tool_take_colour(const struct tool_value *value, enum tool_colour *colour)
{
    static const char *const names[] = {"auto", "always", "never"};

    if (!value->text) {
        *colour = TOOL_COLOUR_ALWAYS;
        return;
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value->text, names[i]))
            continue;
        *colour = (enum tool_colour)i;
        return;
    }
    tool_complain(value, "unknown", "write auto, always or never");
}

static bool is_set(const char *text)
{
    return text && *text;
}

bool tool_obeys_escapes(int descriptor)
{
    const char *term = getenv("TERM");

    return isatty(descriptor) && !(term && !strcmp(term, "dumb"));
}

unsigned tool_columns(int descriptor)
{
    enum { USUAL = 80, LEAST = 2 };
    const char *text = getenv("COLUMNS");
    struct winsize size;
    long columns = text ? strtol(text, NULL, 10) : 0;

    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        columns = size.ws_col;
    if (columns < LEAST || columns > UINT16_MAX)
        columns = columns > 0 && columns < LEAST ? LEAST : USUAL;
    return (unsigned)columns;
}

size_t tool_cut(const void *text, size_t size, unsigned most)
{
    const unsigned char *byte = text;
    unsigned characters = 0;

    for (size_t i = 0; i < size; i++)
        if ((byte[i] & 0xc0) != 0x80 && characters++ == most)
            return i;
    return size;
}

bool tool_wants_colour(enum tool_colour colour, int descriptor)
{
    if (colour != TOOL_COLOUR_AUTO)
        return colour == TOOL_COLOUR_ALWAYS;
    return tool_obeys_escapes(descriptor) && !is_set(getenv("NO_COLOR"));
}
