/* Data without a file: iota, zeros, ones, const:V, random[:SEED].  Every element is a function of
 * the source, the rank and its row-major index alone, so that a comparison can recompute it. */
#ifndef PTO_DATA_GENERATE_H
#define PTO_DATA_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "dtype.h"

enum cli_generator_kind { CLI_IOTA, CLI_CONST, CLI_RANDOM };

struct cli_generator {
    enum cli_generator_kind kind;
    double value;  /* CLI_CONST */
    uint64_t seed; /* CLI_RANDOM */
};

/* 1: `text` is a generator; 0: it is not, so a file; -1: it is one with a bad argument (*why). */
int cli_generator_parse(const char *text, struct cli_generator *generator, const char **why);
/* The generator that is spelt nearly like this; NULL: none. */
const char *cli_generator_nearest(const char *text);
/* Can the generator's constant be stored in the type without loss (integers) or overflow? */
bool cli_generator_fits(const struct cli_generator *generator, enum pto_dtype dtype);
/* The `number` elements from `first` on, of `count` on `rank`. */
void cli_generate(const struct cli_generator *generator, enum pto_dtype dtype, int rank,
                  uint64_t count, uint64_t first, uint64_t number, void *elements);

#endif
