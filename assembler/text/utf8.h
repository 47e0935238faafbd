/* What text may pass into the module. */
#ifndef ASM_TEXT_UTF8_H
#define ASM_TEXT_UTF8_H

#include <stdbool.h>

#include "arena.h"

bool text_is_utf8(const char *text);
/* A copy in which '?' stands for every byte that is not part of UTF-8. */
char *text_to_utf8(struct pto_arena *arena, const char *text);

#endif
