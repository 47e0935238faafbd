#include "profile_value.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIGITS = 18 }; /* fit into 64 bits */

/* stored = written * numerator / denominator */
static const struct {
    enum profile_unit unit;
    const char *name;
    uint64_t numerator, denominator;
} spellings[] = {
    {PROFILE_COUNT, "", 1, 1},
    {PROFILE_BYTES, "B", 1, 1},
    {PROFILE_BYTES, "KiB", 1 << 10, 1},
    {PROFILE_BYTES, "MiB", 1 << 20, 1},
    {PROFILE_CLOCK, "kHz", 1, 1},
    {PROFILE_CLOCK, "MHz", 1000, 1},
    {PROFILE_CLOCK, "GHz", 1000000, 1},
    {PROFILE_TIME, "ps", 1, 1},
    {PROFILE_TIME, "ns", 1000, 1},
    {PROFILE_TIME, "us", 1000000, 1},
    {PROFILE_TIME, "ms", 1000000000, 1},
    {PROFILE_RATE, "MB/s", 1, 1},
    {PROFILE_RATE, "GB/s", 1000, 1},
    {PROFILE_RATE, "TB/s", 1000000, 1},
    {PROFILE_RATE, "PB/s", 1000000000, 1},
    {PROFILE_RATE, "GiB/s", 1 << 30, 1000000},
    {PROFILE_MILLICYCLES, "cycles", 1000, 1},
    {PROFILE_MILLICYCLES, "cycle", 1000, 1},
    {PROFILE_BYTES_PER_CYCLE, "B/cycle", 1000, 1},
    {PROFILE_PER_REPEAT, "cycles/repeat", 1000, 1},
    {PROFILE_PER_REPEAT, "cycle/repeat", 1000, 1},
    {PROFILE_PER_ROW, "cycles/row", 1000, 1},
    {PROFILE_PER_ROW, "cycle/row", 1000, 1},
    {PROFILE_PER_FRACTAL, "cycles/fractal", 1000, 1},
    {PROFILE_PER_FRACTAL, "cycle/fractal", 1000, 1},
};

static const struct {
    const char *example, *stored;
} unit_texts[PROFILE_UNITS] = {
    [PROFILE_COUNT] = {"a whole number such as 8", ""},
    [PROFILE_BYTES] = {"a size such as 192 KiB", " bytes"},
    [PROFILE_CLOCK] = {"a frequency such as 1.85 GHz", " kHz"},
    [PROFILE_TIME] = {"a time such as 250 ns", " ps"},
    [PROFILE_RATE] = {"a bandwidth such as 19.5 GiB/s", " MB/s"},
    [PROFILE_MILLICYCLES] = {"a duration such as 1.5 cycles", " thousandths of a cycle"},
    [PROFILE_BYTES_PER_CYCLE] = {"a bandwidth such as 58.6 B/cycle", " thousandths of B/cycle"},
    [PROFILE_PER_REPEAT] = {"a cost such as 2 cycles/repeat", " thousandths of cycles/repeat"},
    [PROFILE_PER_ROW] = {"a cost such as 14 cycles/row", " thousandths of cycles/row"},
    [PROFILE_PER_FRACTAL] = {"a cost such as 1 cycle/fractal", " thousandths of cycles/fractal"},
};

const char *profile_unit_example(enum profile_unit unit)
{
    return unit_texts[unit].example;
}

const char *profile_unit_stored(enum profile_unit unit)
{
    return unit_texts[unit].stored;
}

/* Digits with at most one point: value / scale.  Returns the end, or NULL. */
static const char *read_decimal(const char *text, uint64_t *value, uint64_t *scale)
{
    unsigned digits = 0;
    bool point = false;

    *value = 0;
    *scale = 1;
    for (; isdigit((unsigned char)*text) || (*text == '.' && !point && digits); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        if (++digits > MOST_DIGITS)
            return NULL;
        *value = *value * 10 + (uint64_t)(*text - '0');
        *scale *= point ? 10 : 1;
    }
    return digits && text[-1] != '.' ? text : NULL;
}

const char *profile_number(const char *text, enum profile_unit unit, uint64_t *value)
{
    uint64_t digits, scale;
    const char *end = read_decimal(text, &digits, &scale);

    if (!end)
        return "is not a decimal number of at most 18 digits";
    if (unit == PROFILE_COUNT && scale != 1)
        return "is not a whole number";
    end += strspn(end, " \t");
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        unsigned __int128 exact, divisor;

        if (spellings[i].unit != unit || strcmp(end, spellings[i].name) != 0)
            continue;
        divisor = (unsigned __int128)scale * spellings[i].denominator;
        exact = ((unsigned __int128)digits * spellings[i].numerator + divisor / 2) / divisor;
        *value = exact > UINT64_MAX ? UINT64_MAX : (uint64_t)exact;
        return NULL;
    }
    return *end ? "has a unit that does not fit" : "lacks its unit";
}

/* Is value / numerator a decimal number of few digits? */
static bool is_short(uint64_t value, uint64_t numerator)
{
    while (numerator % 10 == 0)
        numerator /= 10;
    return value % numerator == 0;
}

const char *profile_number_text(uint64_t value, enum profile_unit unit, char *text)
{
    uint64_t whole = value, rest = 0, scale = 1;
    const char *name = "";
    int length;

    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        uint64_t numerator = spellings[i].numerator;

        if (spellings[i].unit != unit || spellings[i].denominator != 1 ||
            (*name && (value < numerator || numerator <= scale || !is_short(value, numerator))))
            continue;
        whole = value / numerator;
        rest = value % numerator;
        scale = numerator;
        name = spellings[i].name;
    }
    length = snprintf(text, PROFILE_NUMBER_BYTES, "%llu", (unsigned long long)whole);
    if (rest)
        text[length++] = '.';
    for (; rest; rest %= scale) {
        rest *= 10;
        text[length++] = (char)('0' + rest / scale);
    }
    snprintf(text + length, PROFILE_NUMBER_BYTES - (size_t)length, "%s%s", *name ? " " : "", name);
    return text;
}
