/* Names and their scopes. */
#ifndef ASM_PROGRAM_SYMBOLS_H
#define ASM_PROGRAM_SYMBOLS_H

#include "diag.h"
#include "formula/value.h"
#include "text/token.h"

struct assembly;
struct asm_macro;

enum asm_symbol_kind {
    SYM_MACRO,
    SYM_CONSTANT,
    SYM_TYPE, /* a constant that names an element type: `index` is the enum pto_dtype */
    SYM_PARAM,
    SYM_OBJECT,
    SYM_TILE,
    SYM_LOCAL,
    SYM_REG,
    SYM_LABEL,
    SYM_KERNEL,
    SYM_RING
};

enum { ASM_MAX_NAMES = 65535 /* tiles, objects, arrays: what a 16-bit index can tell apart */ };

/* Names live in spaces: what `%name` means, what a bare name means, branch targets, and so on.
 * NS_OUTER_REG: registers of the text around a macro that its own text has read.
 * NS_LOST and so on: names that do not exist, of which the user has been told (lost.h). */
enum asm_namespace {
    NS_PLAIN, NS_REG, NS_OUTER_REG, NS_LABEL, NS_MACRO, NS_KERNEL, NS_LOST, NS_LOST_REG,
    NS_LOST_LABEL
};

struct asm_symbol {
    enum asm_symbol_kind kind;
    enum asm_namespace space;
    const char *name;
    uint32_t section, expansion; /* where it is visible */
    const struct asm_token *token; /* definition */
    uint32_t index;
    struct asm_value value;       /* constants */
    uint64_t slots;               /* labels: asm_slots_state there */
    const struct asm_macro *macro;
    bool used;
    bool wrong; /* constants: the value was reported, any use will do */
    struct asm_symbol *next_hash, *next;
};

struct asm_symbol *asm_symbol_find(struct assembly *a, enum asm_namespace space,
                                   const struct asm_token *token);
/* A register of the open kernel's set-up code, or NULL. */
const struct asm_symbol *asm_symbol_find_setup(struct assembly *a, const struct asm_token *token);
/* The same without looking at the uses of macros around the token's own. */
struct asm_symbol *asm_symbol_find_here(struct assembly *a, enum asm_namespace space,
                                        const struct asm_token *token);
/* NULL after an error: the name is taken. */
struct asm_symbol *asm_symbol_define(struct assembly *a, enum asm_namespace space,
                                     enum asm_symbol_kind kind, const struct asm_token *token,
                                     uint32_t section, uint32_t index);
/* The nearest among the visible names of a space (`kinds`: mask of 1 << asm_symbol_kind), or NULL;
 * and the same as a hint "did you mean". */
const char *asm_symbol_nearest(struct assembly *a, enum asm_namespace space, unsigned kinds,
                               const char *name);
bool asm_symbol_hint(struct assembly *a, struct pto_diag *diag, enum asm_namespace space,
                     unsigned kinds, const char *name);
/* Section that a definition belongs to now. */
uint32_t asm_section_now(const struct assembly *a);
const char *asm_symbol_kind_name(enum asm_symbol_kind kind);
/* Name in the module: that of the token, made unique if a macro's own text wrote it. */
const char *asm_module_name(struct assembly *a, const struct asm_token *token);
void asm_symbols_free(struct assembly *a);

#endif
