/* The state of one assembly.
 *
 * A statement is given its meaning as soon as its line is parsed; only branch targets, tile
 * addresses and parameter defaults wait for the end of their section. */
#ifndef ASM_PROGRAM_ASSEMBLY_H
#define ASM_PROGRAM_ASSEMBLY_H

#include "code.h"
#include "formula/eval.h"
#include "ordered.h"
#include "profile.h"
#include "section.h"
#include "text/report.h"
#include "text/text.h"

struct assembly {
    const struct pto_profile *profile;
    struct pto_module *module;
    struct pto_diags *diags;
    struct pto_arena arena; /* of this assembly; the module has its own */
    struct pto_arena tree;  /* of its expressions and statements */
    struct asm_text text;
    struct formula formula; /* the meaning of expressions here */
    struct pto_op_index ops;
    const struct asm_source *main, *command_line; /* the text itself, and the defines as text */

    struct asm_symbol **bucket;
    uint32_t buckets, symbols;
    struct asm_symbol *first_symbol;
    uint32_t sections;         /* numbers given out */
    uint32_t kernel_section, core_section; /* 0: none open */

    enum asm_section section;
    uint32_t passed_over; /* statements of a lost section: what is open may end there */
    const struct asm_token *section_token; /* directive that opened it */
    struct pto_kernel *kernel;             /* the open one, last of the module's */
    uint32_t kernel_capacity, param_capacity, object_capacity;
    struct asm_default *preset;
    uint32_t presets, preset_capacity;
    struct asm_ring *ring; /* of the open kernel */
    uint32_t rings, ring_capacity;
    uint32_t params_pending; /* the last of them, whose values a default cannot use yet */
    bool params_closed, lost_core;
    unsigned lost_ifs; /* that have begun where an opener is missing */
    const struct asm_token *kernel_token;
    struct asm_code setup;
    enum pto_core_kind core_kind;
    struct pto_core_code *core;
    struct asm_tile_note *tile_note; /* by tile of the open core */
    uint32_t tile_capacity, note_capacity, local_capacity, label_capacity;
    struct asm_code code;
    struct asm_block *block;
    uint32_t blocks, block_capacity;
    struct asm_ordered ordered;
    struct asm_slots *slots; /* open and drained ones of the open core */
    uint32_t slot_sets, slot_capacity, slot_numbers;

    const struct asm_token *line_token; /* place of the statement */
    const char *constant_for; /* not NULL: expressions must be constant; what for */
};

/* Begin an assembly; the caller has filled in `profile`, `module` and `diags`, and sets where the
 * text finds includes. */
void asm_open(struct assembly *a);
/* Free everything but the module. */
void asm_close(struct assembly *a);

/* Diagnostics, as text/report.h has them. */
#define asm_error(a, ...) text_error(&(a)->text, __VA_ARGS__)
#define asm_error_expr(a, ...) text_error_expr(&(a)->text, __VA_ARGS__)
#define asm_note(a, ...) text_note(&(a)->text, __VA_ARGS__)
#define asm_hint(a, diag, ...) pto_diag_hint((a)->diags, (diag), __VA_ARGS__)
#define asm_hint_nearest(a, ...) text_hint_nearest(&(a)->text, __VA_ARGS__)

#endif
