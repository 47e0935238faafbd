#include "float_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pto_write_float(struct pto_buf *out, double value)
{
    enum { ENOUGH_DIGITS = 17 };
    char text[40];

    if (isnan(value) || isinf(value)) {
        pto_buf_printf(out, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
        return;
    }
    for (int digits = 1; digits <= ENOUGH_DIGITS; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    pto_buf_printf(out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
}
