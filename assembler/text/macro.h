/* Macros: definitions, and the substitution of arguments. */
#ifndef ASM_TEXT_MACRO_H
#define ASM_TEXT_MACRO_H

#include "text.h"

enum { ASM_MAX_MACRO_PARAMS = 64 };

struct asm_macro_param {
    const char *name;
    const struct asm_token *preset; /* tokens of the default value */
    uint32_t preset_count;
    bool has_preset;
};

struct asm_macro {
    const char *name;
    struct asm_source *source;
    const struct asm_token *body;
    uint32_t body_count;
    struct asm_macro_param *param;
    uint32_t params;
    const struct asm_token **exported; /* names that belong to the text around a use */
    uint32_t exports;
};

/* The line of a .macro, and the tokens up to its .endm. */
void text_define_macro(struct asm_text *t, const struct asm_token *line, uint32_t count,
                       const struct asm_token *body, uint32_t body_count);
/* The line of a use: what it becomes is read next. */
void text_use_macro(struct asm_text *t, const struct asm_macro *macro,
                    const struct asm_token *line, uint32_t count);
/* The use of a macro that contains another one, 0: none does. */
uint32_t text_outer_expansion(const struct asm_text *t, uint32_t expansion);

#endif
