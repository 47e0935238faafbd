/* Kernels, set-up blocks and cores: opening and completing them. */
#ifndef ASM_PROGRAM_SECTION_H
#define ASM_PROGRAM_SECTION_H

#include "text/ast.h"

struct assembly;

enum { ASM_MAX_KERNELS = 4096 };

/* LOST: after a .core that was wrong, until the next one. */
enum asm_section { SECTION_MODULE, SECTION_KERNEL, SECTION_SETUP, SECTION_CORE, SECTION_LOST };

void asm_kernel_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_core_statement(struct assembly *a, const struct asm_stmt *stmt);
void asm_setup_statement(struct assembly *a, const struct asm_stmt *stmt);
/* The end of the text: whatever is open is completed. */
void asm_finish(struct assembly *a);

#endif
