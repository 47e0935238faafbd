#include <ctype.h>
#include <stdbool.h>
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

/* The word with a number in a line of words; *length: its bytes. */
static const char *word_of(const char *line, uint64_t number, size_t *length)
{
    for (; number; number--)
        line = strchr(line, ' ') + 1;
    *length = strcspn(line, " ");
    return line;
}

static bool in_word(uint8_t byte)
{
    return isalnum(byte) || byte == '_';
}

/* Does a word of its own stand at `at`? */
static bool stands(const uint8_t *data, size_t size, size_t at, const char *word, size_t length)
{
    return size - at >= length && !memcmp(data + at, word, length) &&
           (at == 0 || !in_word(data[at - 1])) &&
           (at + length == size || !in_word(data[at + length]));
}

size_t fuzz_swap(uint8_t *data, size_t size, size_t most, const char *const *alike,
                 uint64_t *state)
{
    bool everywhere = fuzz_below(state, 2);
    size_t kinds = 0, words = 1, old_length, new_length, start;
    const char *line, *old, *new;

    while (alike[kinds])
        kinds++;
    line = alike[fuzz_below(state, kinds)];
    for (const char *c = line; *c; c++)
        words += *c == ' ';
    old = word_of(line, fuzz_below(state, words), &old_length);
    new = word_of(line, fuzz_below(state, words), &new_length);
    start = everywhere ? 0 : fuzz_below(state, size);
    for (size_t at = start; at < size; at++)
        if (stands(data, size, at, old, old_length)) {
            size = replace(data, size, most, at, old_length, new, new_length);
            if (!everywhere)
                break;
        }
    return size;
}
