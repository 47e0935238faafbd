#include <string.h>

#include "fuzz.h"

uint64_t fuzz_below(uint64_t *state, uint64_t limit)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return limit ? *state % limit : 0;
}

/* Put `size` bytes in the place of `removed` ones at `at`, if there is room. */
static size_t replace(uint8_t *data, size_t whole, size_t most, size_t at, size_t removed,
                      const void *bytes, size_t size)
{
    if (whole - removed + size > most)
        return whole;
    memmove(data + at + size, data + at + removed, whole - at - removed);
    memcpy(data + at, bytes, size);
    return whole - removed + size;
}

size_t fuzz_change_text(uint8_t *data, size_t size, size_t most, const char *const *words,
                        uint64_t *state)
{
    enum { SHORT = 40, LONG = 200 };
    size_t at = fuzz_below(state, size + 1), left = size - at, count = 0;
    size_t length = fuzz_below(state, left < SHORT ? left + 1 : SHORT);
    size_t from = fuzz_below(state, size + 1);
    size_t copied = fuzz_below(state, size - from < LONG ? size - from + 1 : LONG);
    uint8_t byte = (uint8_t)fuzz_below(state, 256), copy[LONG];
    const char *word;

    while (words[count])
        count++;
    word = words[fuzz_below(state, count)];
    memcpy(copy, data + from, copied);
    switch (fuzz_below(state, 6)) {
    case 0:
        return replace(data, size, most, at, left > 0, &byte, 1);
    case 1:
        return replace(data, size, most, at, length, "", 0);
    case 2:
        return replace(data, size, most, at, 0, word, strlen(word));
    case 3:
        return replace(data, size, most, at, length, word, strlen(word));
    case 4:
        return replace(data, size, most, at, 0, copy, copied);
    default:
        return fuzz_below(state, 20) ? size : at;
    }
}
