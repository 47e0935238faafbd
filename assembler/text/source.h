/* The files of a text. */
#ifndef ASM_TEXT_SOURCE_H
#define ASM_TEXT_SOURCE_H

#include "text.h"

/* Take a text in: split into lines and tokens. */
struct asm_source *text_source_add(struct asm_text *t, const char *name, const char *text,
                                   size_t size, bool is_file);
/* Open what an .include names; NULL after an error. */
struct asm_source *text_source_include(struct asm_text *t, const struct asm_token *name);

#endif
