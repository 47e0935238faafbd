/* Tiles and local arrays. */
#ifndef ASM_PROGRAM_TILE_H
#define ASM_PROGRAM_TILE_H

#include "module.h"
#include "text/ast.h"

struct assembly;

/* What layout has to know about a tile. */
struct asm_tile_note {
    const struct asm_token *token;
    bool placed; /* has an address */
    bool wrong;  /* reported: takes no room */
};

void asm_tile_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_local_statement(struct assembly *a, const struct asm_stmt *stmt);
/* Bytes of all slots. */
uint64_t asm_tile_extent(const struct pto_tile *tile);

#endif
