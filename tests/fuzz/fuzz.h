/* A target of the fuzzers: what one input does, and how inputs are changed.  Each NAME.c is one
 * target; libfuzzer.c drives it under libFuzzer, replay.c without.  A target ends the program
 * (abort, assert) when a promise is broken. */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

enum { FUZZ_MOST_BYTES = 1 << 16 };

/* Try one input; `name` is a file that it could come from (includes are relative to it). */
void fuzz_one(const char *name, const uint8_t *data, size_t size);
/* Change an input in place, up to `most` bytes; returns the new size.  `state`: of fuzz_below. */
size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state);

/* ---- for targets -------------------------------------------------------------------------- */

/* A number below `limit`, the next of a sequence that `state` (not 0) determines; 0 if it is 0. */
uint64_t fuzz_below(uint64_t *state, uint64_t limit);
/* Change bytes, or put in some of `words`, up to their NULL. */
size_t fuzz_change_text(uint8_t *data, size_t size, size_t most, const char *const *words,
                        uint64_t *state);
/* Put another word of the same kind in the place of one, here or everywhere.  `alike`: the words of
 * a kind with spaces between them; the last is NULL. */
size_t fuzz_swap(uint8_t *data, size_t size, size_t most, const char *const *alike,
                 uint64_t *state);

#endif
