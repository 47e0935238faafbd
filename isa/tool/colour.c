#include "colour.h"

#include <stdlib.h>
#include <string.h>
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

bool tool_wants_colour(enum tool_colour colour, int descriptor)
{
    if (colour != TOOL_COLOUR_AUTO)
        return colour == TOOL_COLOUR_ALWAYS;
    return tool_obeys_escapes(descriptor) && !is_set(getenv("NO_COLOR"));
}
