#include "cli/share.h"

#include <stdio.h>

void cli_share_text(uint64_t part, uint64_t whole, unsigned width, struct pto_buf *out)
{
    unsigned __int128 permille =
        whole > 0 ? ((unsigned __int128)part * 1000 + whole / 2) / whole : 0;
    unsigned value = permille > 99999 ? 99999 : (unsigned)permille;
    char text[24];

    snprintf(text, sizeof text, "%u.%u%%", value / 10, value % 10);
    pto_buf_printf(out, "%*s", (int)width, text);
}
