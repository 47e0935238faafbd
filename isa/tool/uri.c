#include "tool/uri.h"

#include <ctype.h>
#include <string.h>

void tool_put_uri(struct pto_buf *text, const char *path)
{
    pto_buf_printf(text, "%s", *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (isalnum((uint8_t)*path) || strchr("/-._~", *path))
            pto_buf_byte(text, (uint8_t)*path);
        else
            pto_buf_printf(text, "%%%02X", (uint8_t)*path);
}
