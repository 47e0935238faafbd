/* Values in profile and topology files: decimal numbers with a unit, read exactly (integers only,
 * so that no input can become infinite, negative or not a number). */
#ifndef PTO_PROFILE_VALUE_H
#define PTO_PROFILE_VALUE_H

#include <stdbool.h>
#include <stdint.h>

/* What a number measures, and so the unit in which it is stored. */
enum profile_unit {
    PROFILE_COUNT,           /* no unit */
    PROFILE_BYTES,           /* bytes */
    PROFILE_CLOCK,           /* kHz */
    PROFILE_TIME,            /* ps */
    PROFILE_RATE,            /* bytes per microsecond */
    PROFILE_MILLICYCLES,     /* thousandths of a cycle */
    PROFILE_BYTES_PER_CYCLE, /* thousandths of a byte per cycle */
    PROFILE_PER_REPEAT,      /* thousandths of a cycle per vector repeat */
    PROFILE_PER_ROW,         /* thousandths of a cycle per row of a tile */
    PROFILE_PER_FRACTAL,     /* thousandths of a cycle per cube step */
    PROFILE_UNITS
};

/* Read "58.6 B/cycle" as `unit`, rounded to the nearest whole stored unit.  Returns NULL, or what
 * is wrong (a static text that begins with a verb). */
const char *profile_number(const char *text, enum profile_unit unit, uint64_t *value);
/* The shortest text that profile_number reads as this value, by the largest unit of which it has at
 * least one: "58.6 B/cycle".  Written to `text` of PROFILE_NUMBER_BYTES. */
enum { PROFILE_NUMBER_BYTES = 48 };
const char *profile_number_text(uint64_t value, enum profile_unit unit, char *text);
/* How numbers of this kind are written, for messages: "a time such as 250 ns". */
const char *profile_unit_example(enum profile_unit unit);
/* The stored unit by name, for ranges in messages: "ps". */
const char *profile_unit_stored(enum profile_unit unit);

#endif
