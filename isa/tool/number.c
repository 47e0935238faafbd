#include "number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_LIMIT = 64 }; /* characters of any sensible number */

static int digit_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

static unsigned suffix_shift(char c)
{
    switch (c) {
    case 'K':
        return 10;
    case 'M':
        return 20;
    case 'G':
        return 30;
    default:
        return 0;
    }
}

/* Sign and magnitude to int64; false if it does not fit. */
static bool apply_sign(bool negative, uint64_t magnitude, int64_t *value)
{
    if (magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    return true;
}

bool tool_parse_int(const char *text, size_t length, int64_t *value)
{
    size_t at = 0;
    bool negative = false;
    int base = 10;
    unsigned shift = 0;
    uint64_t magnitude = 0;

    if (at < length && (text[at] == '-' || text[at] == '+'))
        negative = text[at++] == '-';
    if (length - at > 2 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'X')) {
        base = 16;
        at += 2;
    }
    if (length > at + 1 && (shift = suffix_shift(text[length - 1])) != 0)
        length--;
    if (at == length)
        return false;
    for (; at < length; at++) {
        int digit = digit_value(text[at]);

        if (digit >= base || __builtin_mul_overflow(magnitude, (uint64_t)base, &magnitude) ||
            __builtin_add_overflow(magnitude, (uint64_t)digit, &magnitude))
            return false;
    }
    if (__builtin_mul_overflow(magnitude, UINT64_C(1) << shift, &magnitude))
        return false;
    return apply_sign(negative, magnitude, value);
}

bool tool_parse_line(const char *text, uint32_t *line)
{
    size_t length = strlen(text);
    int64_t value;

    if (strspn(text, "0123456789") != length || !tool_parse_int(text, length, &value) ||
        value < 1 || value > UINT32_MAX)
        return false;
    *line = (uint32_t)value;
    return true;
}

bool tool_parse_float(const char *text, size_t length, double *value)
{
    char copy[NUMBER_LIMIT + 1], *end;

    if (length == 0 || length > NUMBER_LIMIT)
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    /* strtod also takes blanks, hexadecimal, "inf" and "nan"; none of them belongs here. */
    if (strspn(copy, "0123456789+-.eE") != length)
        return false;
    *value = strtod(copy, &end);
    return !*end && isfinite(*value);
}

bool tool_parse_time(const char *text, uint64_t *ps)
{
    return tool_parse_moment(text, ps) && *ps > 0;
}

bool tool_parse_moment(const char *text, uint64_t *ps)
{
    static const struct {
        const char *name;
        double ps;
    } unit[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    size_t length = strlen(text);

    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++) {
        size_t tail = strlen(unit[i].name);
        double value;

        if (length <= tail || strcmp(text + length - tail, unit[i].name) ||
            !tool_parse_float(text, length - tail, &value))
            continue;
        value = ceil(value * unit[i].ps);
        if (!(value >= 0 && value < 9e18))
            return false;
        *ps = (uint64_t)value;
        return true;
    }
    return false;
}
