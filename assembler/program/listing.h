/* The listing. */
#ifndef ASM_PROGRAM_LISTING_H
#define ASM_PROGRAM_LISTING_H

#include "arena.h"

struct assembly;

void asm_listing(struct assembly *a, struct pto_buf *out);

#endif
