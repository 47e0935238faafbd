/* Tokens to the lines that are parsed: a stack of sources and macro uses. */
#ifndef ASM_TEXT_READER_H
#define ASM_TEXT_READER_H

#include "text.h"

enum {
    ASM_MAX_DEPTH = 100,        /* includes and macro uses inside each other */
    ASM_MAX_LINE_TOKENS = 1024,
    /* What all includes and macro uses together may bring in. */
    ASM_MAX_EXPANDED = 1 << 17,        /* lines */
    ASM_MAX_EXPANDED_TOKENS = 2000000, /* words and signs */
    ASM_MAX_EXPANDED_CHARACTERS = 1 << 25,
    ASM_MAX_ERRORS = 10000 /* the text behind so many is not read */
};

void text_push(struct asm_text *t, struct text_frame frame);
/* `from`: the file name of an .include; NULL for what the caller assembles. */
void text_push_source(struct asm_text *t, struct asm_source *source,
                      const struct asm_token *from);
/* The origin of what `from` brings in; NULL after an error (too deep). */
struct asm_origin *text_origin(struct asm_text *t, struct asm_source *source,
                               const struct asm_token *from, const char *macro);
/* Account for what `from` brings in; false after an error (too much: reading ends). */
bool text_account(struct asm_text *t, const struct asm_token *from, struct text_amount more);
/* The next line that is to be parsed (`count` tokens, and an end of line); false at the end of
 * everything.  Consumes .include, .macro and macro uses, and passes over dead arms of .if. */
bool text_next_line(struct asm_text *t, struct asm_token **line, uint32_t *count);
/* The directives one by one, without their points; NULL behind the last one. */
const char *text_directive(unsigned i);
/* Give the directive that begins a line, and its keywords, the kinds that the grammar knows; false:
 * there is no such directive. */
bool text_mark_words(struct asm_token *line, uint32_t count);
/* End the reading: whatever remains would only repeat the error. */
void text_stop(struct asm_text *t);

#endif
