/* The assembler as a library: text in, a module (isa/module.h) out.
 *
 * Owns the language of docs/language.md, and takes upstream text (docs/upstream.md) as well, which
 * is told by its first word.  Nothing is printed, no state outlives a call, and any
 * text whatever ends in a module or in diagnostics.  Files are read through pto_file_read:
 * the named one and those that it includes. */
#ifndef PTO_ASSEMBLER_H
#define PTO_ASSEMBLER_H

#include "diag.h"
#include "module.h"
#include "profile.h"
#include "status.h"

/* A constant from outside: replaces the value of `.define name`. */
struct pto_asm_define {
    const char *name, *value;
};

/* What becomes of the synchronisation between the pipes of a sub-core. */
enum pto_asm_sync {
    PTO_ASM_SYNC_DEFAULT, /* as it is; upstream text without flags of its own: automatic */
    PTO_ASM_SYNC_ASIS,
    PTO_ASM_SYNC_NONE,    /* flags and barriers of pipes are left out */
    PTO_ASM_SYNC_INORDER, /* and every tile instruction completes before the next one starts */
    PTO_ASM_SYNC_AUTO     /* and flags are put in where instructions depend on earlier ones */
};

/* The mode that a word names ("asis", "none", "inorder", "auto"); false: it names none. */
bool pto_asm_sync_find(const char *word, enum pto_asm_sync *sync);
/* That word; NULL for the default. */
const char *pto_asm_sync_name(enum pto_asm_sync sync);

/* The language of a text. */
enum pto_asm_form {
    PTO_ASM_FORM_ANY, /* by its first word */
    PTO_ASM_FORM_OWN,
    PTO_ASM_FORM_UPSTREAM
};

struct pto_asm_options {
    const struct pto_profile *profile;
    const char *const *include_dir; /* searched after the folder of the including file */
    unsigned include_dirs;
    /* How the user adds such a folder, in the words of the program ("-I DIR adds a folder"), for
     * the hint at a file that was not found; NULL: nothing is said. */
    const char *include_remedy;
    const struct pto_asm_define *define;
    unsigned defines;
    /* NULL: a define that the text does not use is an error.  Else [defines]: set to true for those
     * that it uses, for callers that assemble several texts with the same defines; also if the text
     * has errors, as far as it was read. */
    bool *define_used;
    /* What to read in place of an included file; false, or NULL for the function: the file. */
    bool (*instead)(const void *context, const char *path, const char **text, size_t *size);
    const void *instead_context;
    struct pto_buf *listing;      /* not NULL: the listing is appended, also after errors */
    enum pto_asm_form form;
    enum pto_asm_sync sync;
    const char *function;     /* upstream text: the only function that becomes a kernel, or NULL */
    /* NULL: with a function, text in this language is an error.  Else: set to true by upstream
     * text, for callers that assemble several texts. */
    bool *function_used;
    struct pto_buf *imported; /* not NULL: upstream text in this language is appended */
    enum pto_asm_sync *synced; /* not NULL: set to the mode that was carried out */
    struct pto_buf *dependencies; /* not NULL: the files read are appended, one a line */
};

/* Assemble a file ("-": standard input).  On PTO_OK the caller owns *module (pto_module_free),
 * which has not been through pto_verify yet.  Otherwise *module is empty and `diags` says why and
 * where: PTO_EPROGRAM the text or a define is wrong, PTO_ESYSTEM or PTO_ECONFIG the file cannot be
 * read. */
enum pto_status pto_assemble_file(const char *path, const struct pto_asm_options *options,
                                  struct pto_module *module, struct pto_diags *diags);
/* The built-in profile that a text asks for when nobody names one: by `.assembled_for` at its head,
 * upstream text by its target; else a2.  PTO_ECONFIG: it asks for one that is not built in, for a
 * text opens no file that nobody named; `remedy`: how to name one, or NULL. */
enum pto_status pto_assemble_profile(const char *name, const char *text, size_t size,
                                     const char *remedy, struct pto_profile *profile,
                                     struct pto_diags *diags);
/* The same for `size` bytes of text that diagnostics call `name`; includes are searched relative
 * to the folder of that name. */
enum pto_status pto_assemble_text(const char *name, const char *text, size_t size,
                                  const struct pto_asm_options *options,
                                  struct pto_module *module, struct pto_diags *diags);
/* Append a text of this language with its lines laid out as docs/language.md says: the same words
 * and signs, comments kept.  PTO_EPROGRAM with diagnostics if words and signs are wrong or the text
 * is none of this language; nothing is appended then. */
enum pto_status pto_format_text(const char *name, const char *text, size_t size,
                                struct pto_buf *out, struct pto_diags *diags);

#endif
