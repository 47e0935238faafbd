/* Addresses of tiles. */
#ifndef ASM_PROGRAM_LAYOUT_H
#define ASM_PROGRAM_LAYOUT_H

struct assembly;

/* Give addresses to the tiles of the open core that have none. */
void asm_layout(struct assembly *a);

#endif
