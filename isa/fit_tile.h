/* What is legal for a tile.  The assembler and the verifier ask here, about declarations and about
 * the places that were found for them. */
#ifndef PTO_FIT_TILE_H
#define PTO_FIT_TILE_H

#include "misfit.h"

/* Can a program of this kind have such a tile: memory, layout, shape, slots, size?  If not,
 * *misfit says what is wrong (operand: of no meaning); so does the function below. */
bool pto_tile_fits(const struct pto_profile *profile, enum pto_core_kind kind,
                   const struct pto_tile *tile, struct pto_misfit *misfit);
/* Does a view that starts `byte` bytes behind its place keep each of its lines in one of its
 * parent's, if the lines of both are equally far apart? */
bool pto_tile_lines_fit(const struct pto_tile *tile, const struct pto_tile *parent, uint64_t byte);
/* For messages of it: the elements of a line, what lines are called, how it is mended. */
uint32_t pto_tile_line(const struct pto_tile *tile);
const char *pto_tile_lines_name(const struct pto_tile *tile);
const char *pto_tile_lines_rule(const struct pto_tile *tile);
/* Can a tile, which is legal by itself, lie at its address, and a view inside its parent, an
 * earlier tile of `core`? */
bool pto_tile_place_fits(const struct pto_profile *profile, const struct pto_core_code *core,
                         const struct pto_tile *tile, struct pto_misfit *misfit);
/* Bytes from the first to the last of all slots. */
uint64_t pto_tile_extent(const struct pto_tile *tile);

#endif
