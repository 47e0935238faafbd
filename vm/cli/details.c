#include "cli/details.h"

#include <string.h>

#include "diag.h"

void cli_details_text(const char *text, struct pto_buf *out)
{
    while (*text) {
        size_t length = strcspn(text, "\n");

        pto_buf_printf(out, "  ");
        pto_put_wrapped(out, text, length, 2, 6);
        text += length + (text[length] == '\n' ? 1 : 0);
    }
}
