/* Text on the screen.  What the locale's UTF-8 has a glyph for takes the columns of it; all else
 * that is no printable ASCII becomes '?', one for each character. */
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "tui/screen.h"

enum { TABS = 8, SEQUENCE = 4 /* bytes of a character at most */ };

struct glyph {
    size_t bytes;
    int columns;
    bool shown; /* as it is */
};

static bool is_wide; /* curses and the terminal take UTF-8 */

char *tui_begin_text(void)
{
    char *before = pto_xstrdup(setlocale(LC_CTYPE, NULL));

#ifdef PTO_WIDE_CURSES
    is_wide = setlocale(LC_CTYPE, "") && !strcmp(nl_langinfo(CODESET), "UTF-8");
#endif
    if (!is_wide)
        setlocale(LC_CTYPE, before);
    return before;
}

void tui_end_text(char *before)
{
    setlocale(LC_CTYPE, before);
    is_wide = false;
    free(before);
}

/* The first character of `length` > 0 bytes, which would stand in column `col`. */
static struct glyph first_of(const char *text, size_t length, int col)
{
    struct glyph glyph = {1, 1, *text >= ' ' && *text <= '~'};
    mbstate_t state = {0};
    wchar_t code;

    if (*text == '\t')
        glyph.columns = TABS - col % TABS;
    if (((unsigned char)*text & 0xc0) != 0xc0)
        return glyph;
    while (glyph.bytes < length && glyph.bytes < SEQUENCE && tui_is_inner(text[glyph.bytes]))
        glyph.bytes++;
    if (is_wide && mbrtowc(&code, text, glyph.bytes, &state) == glyph.bytes && wcwidth(code) > 0) {
        glyph.columns = wcwidth(code);
        glyph.shown = true;
    }
    return glyph;
}

bool tui_is_inner(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t tui_fit(const char *text, size_t length, int columns)
{
    size_t at = 0;
    int col = 0;

    while (at < length) {
        struct glyph glyph = first_of(text + at, length - at, col);

        col += glyph.columns;
        if (col > columns)
            break;
        at += glyph.bytes;
    }
    return at;
}

int tui_columns(const char *text)
{
    size_t length = strlen(text);
    int col = 0;

    for (size_t at = 0; at < length;) {
        struct glyph glyph = first_of(text + at, length - at, col);

        col += glyph.columns;
        at += glyph.bytes;
    }
    return col;
}

void tui_put(int row, int col, int width, unsigned look, const char *text)
{
    size_t length = strlen(text), at = 0;
    int c = 0;

    attrset((int)look);
    move(row, col);
    while (c < width && at < length) {
        struct glyph glyph = first_of(text + at, length - at, c);
        const char *filler = text[at] == '\t' ? " " : "?";

        if (glyph.shown && c + glyph.columns > width)
            break;
        if (glyph.shown)
            addnstr(text + at, (int)glyph.bytes);
        for (int i = 0; i < glyph.columns && c + i < width && !glyph.shown; i++)
            addstr(filler);
        c += glyph.columns;
        at += glyph.bytes;
    }
    for (; c < width; c++)
        addch(' ');
    attrset(A_NORMAL);
}
