/* The text of one assembly: what was read of it, and what is read next. */
#ifndef ASM_TEXT_TEXT_H
#define ASM_TEXT_TEXT_H

#include "diag.h"
#include "module.h"
#include "token.h"

struct asm_macro;

enum {
    ASM_MAX_TOKENS = 4000000, /* words and signs of all files, each counted once */
    ASM_MAX_NAME = 255,   /* characters of a name; what the assembler appends comes on top */
    ASM_MAX_STRING = 4096 /* characters */
};

/* What the reader asks of those who give lines their meaning; `context` is that of the text. */
struct text_host {
    /* Does the next line stand outside of kernels? */
    bool (*is_outside)(const void *context);
    /* Does it stand in an arm of an .if that is not assembled? */
    bool (*is_dead)(const void *context);
    /* The macro that a name stands for, or NULL. */
    const struct asm_macro *(*find_macro)(void *context, const struct asm_token *name);
    /* Give a macro its name; reports where it is taken. */
    void (*define_macro)(void *context, const struct asm_token *name,
                         const struct asm_macro *macro);
};

/* Tokens that are to be read. */
struct text_frame {
    struct asm_token *token;
    uint32_t tokens, at;
    struct asm_origin *origin; /* what the tokens come from; NULL: they know it themselves */
    bool in_place;             /* they are told it as they are read, others' copies are */
    struct asm_source *library; /* a file that began outside of kernels; NULL: anything else */
};

/* One use of a macro. */
struct text_expansion {
    uint32_t parent; /* the use that contains it, 0: none */
    const struct asm_macro *macro;
};

struct asm_text {
    /* Given by the owner, who keeps them alive. */
    const struct text_host *host;
    void *context;
    const char *const *include_dir;
    unsigned include_dirs;
    const char *include_remedy; /* how the user adds one; NULL: nothing is said of it */
    /* What is read in place of a file; NULL: nothing. */
    bool (*instead)(const void *context, const char *path, const char **text, size_t *size);
    const void *instead_context;
    struct pto_module *module; /* gets files and positions */
    struct pto_diags *diags;
    struct pto_arena *arena;
    struct pto_arena *tree; /* for what the parser makes of lines; may be `arena` */

    struct asm_source *source, *last_source; /* all, in the order in which they were opened */
    struct text_frame *frame;
    uint32_t frames, frame_capacity;
    struct text_amount brought_in; /* by includes and macro uses */
    uint32_t lexed;      /* tokens of all sources */
    const char *shown, *shown_copy; /* line of the last diagnostic, and its copy there */
    bool variables;      /* $name is a word: who asks has variables of that kind */
    const struct asm_token *unread; /* a line that was told to make no sense */
    uint32_t braces; /* that lines without sense have left open */
    bool cut_short;      /* a limit ended the reading: what is open may end there */
    struct text_expansion *expansion; /* by number, from 1 on */
    uint32_t expansions, expansion_capacity;

    /* Positions. */
    bool explicit_pos; /* the text itself says them: the plain form */
    uint32_t at;       /* the one in force there */
    uint32_t pos_capacity, file_capacity;
    const struct asm_token *pos_token; /* of the position made last */
    int32_t last_pos;
};

/* Was an error of the line's words told, so that it is not read?  A brace alone closes one that
 * was. */
bool text_is_told(struct asm_text *t, const struct asm_token *token, uint32_t count);
/* Free what is not in the arena. */
void text_free(struct asm_text *t);

#endif
