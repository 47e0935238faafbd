/* Tiles and local arrays. */
#ifndef ASM_PROGRAM_TILE_H
#define ASM_PROGRAM_TILE_H

#include "module.h"
#include "text/ast.h"

struct assembly;

/* What layout has to know about a tile. */
struct asm_tile_note {
    const struct asm_stmt *stmt;
    bool placed; /* has an address: all have one when the program is laid out */
    bool wrong;  /* reported: takes no room */
};

void asm_tile_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_local_statement(struct assembly *a, const struct asm_stmt *stmt);
/* May a tile lie where it does?  Else it is reported. */
bool asm_tile_place(struct assembly *a, const struct asm_stmt *stmt, const struct pto_tile *tile);

#endif
