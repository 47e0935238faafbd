/* The command line of ptoas as plain data. */
#ifndef PTOAS_OPTIONS_H
#define PTOAS_OPTIONS_H

#include "arena.h"
#include "assembler.h"
#include "diag.h"
#include "status.h"
#include "tool/colour.h"

/* What ptoas is asked to do; masks for the rows of options.def. */
enum ptoas_job {
    PTOAS_ASSEMBLE = 1,
    PTOAS_DEPENDENCIES = 2,
    PTOAS_LINT = 4,
    PTOAS_DISASSEMBLE = 8,
    PTOAS_LIST_OPS = 16,
    PTOAS_EXPLAIN = 32,
    PTOAS_FORMAT = 64,
    PTOAS_LSP = 128,
    PTOAS_READS_TEXT = PTOAS_ASSEMBLE | PTOAS_DEPENDENCIES | PTOAS_LINT,
    PTOAS_ALL = PTOAS_READS_TEXT | PTOAS_DISASSEMBLE | PTOAS_LIST_OPS | PTOAS_EXPLAIN |
                PTOAS_FORMAT | PTOAS_LSP
};

#define SECTION(title)
#define OPTION(id, letter, name, argument, jobs, help) PTOAS_OPT_##id,
enum ptoas_option_id {
#include "options.def"
    PTOAS_OPTIONS
};
#undef SECTION
#undef OPTION

struct ptoas_options {
    struct pto_arena arena; /* owns all texts */
    bool given[PTOAS_OPTIONS];
    const char **operand; /* what is not an option, in order */
    unsigned operands;

    enum ptoas_job job;
    const char *input;           /* file, or the instruction to explain */
    const char *output, *listing, *sarif; /* NULL: not given */
    const char *profile;
    enum pto_asm_form form;
    enum pto_asm_sync sync;
    const char *function; /* NULL: not given */
    bool text;            /* -S */
    bool cpp;             /* --to cpp */
    const char **include_dir;
    unsigned include_dirs, include_capacity;
    struct pto_asm_define *define;
    unsigned defines, define_capacity;
    unsigned max_errors; /* 0: no limit */
    enum tool_colour colour;
    bool json, verbose, warnings_fail;
    bool in_place, check; /* at most one of them */
    bool fix, fix_in_place;
    bool help, version;
};

/* Parse argv[1..].  All problems go to `diags`, PTO_ECONFIG; `colour` and `max_errors` then hold as
 * far as they were understood.  With `help` or `version` nothing else is looked at. */
enum pto_status ptoas_options_parse(struct ptoas_options *options, int argc, char **argv,
                                    struct pto_diags *diags);
void ptoas_options_free(struct ptoas_options *options);
/* Append the text of --help. */
void ptoas_options_help(struct pto_buf *out);

#endif
