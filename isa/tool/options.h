/* Options from a table: reading them, --help and "did you mean" come from the same rows.
 *
 * A program keeps its rows in an options.def, SECTION(title) and OPTION(id, letter, name, argument,
 * users, help), and stores the values.  Nothing here knows of any program. */
#ifndef PTO_TOOL_OPTIONS_H
#define PTO_TOOL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "status.h"

struct tool_option {
    const char *section; /* title of a heading, which has no other members; NULL: an option */
    int id;              /* from 0 on, without gaps */
    int letter;          /* of the short form; 0: there is none */
    const char *name;    /* of the long form */
    const char *argument; /* as the help names it; "[...]": may be left out; NULL: takes none */
    unsigned users;       /* mask of those who take it; the program's own numbering */
    const char *help;
};

/* Who takes options: a bit of the masks, and a name for messages. */
struct tool_user {
    unsigned mask;
    const char *name;
};

struct tool_table {
    const struct tool_option *row;
    unsigned rows;
};

/* An option as it was given. */
struct tool_value {
    const struct tool_option *option;
    const char *text; /* argument; NULL: none.  Lives as long as the array that was read. */
    void *context;
    struct pto_diags *diags;
};

/* Who reads a command line. */
struct tool_reader {
    const struct tool_table *table;
    unsigned users; /* options of others are unknown */
    void (*store)(const struct tool_value *value); /* called for each option in order */
    void *context;                                 /* for `store` */
    bool *given;                                   /* by id: set to true for what was given */
};

/* Read argv[1..], with the words of files in place of @FILE (words.h); options and operands may be
 * mixed, "--" ends the options.  *operand gets the operands in order, *operands their number, both
 * in the arena.  All problems go to `diags`: PTO_ECONFIG. */
enum pto_status tool_options_read(const struct tool_reader *reader, int argc, char **argv,
                                  struct pto_arena *arena, const char ***operand,
                                  unsigned *operands, struct pto_diags *diags);
/* Complain about every given option that `user` does not take.  `others`: all users, for a hint
 * that tells which of them do; NULL: none is given. */
enum pto_status tool_options_check(const struct tool_table *table, const bool *given,
                                   const struct tool_user *user, const struct tool_user *others,
                                   unsigned count, struct pto_diags *diags);
/* Append the options of `users` for --help, by section. */
void tool_options_help(const struct tool_table *table, unsigned users, struct pto_buf *out);

/* The value is wrong: "--name text: what", and a hint. */
void tool_complain(const struct tool_value *value, const char *what, const char *hint);
/* The value as an integer from `low` to `high`; `low` after a complaint. */
int64_t tool_int(const struct tool_value *value, int64_t low, int64_t high);
/* The value as a time in picoseconds, at most `most_s` seconds (0: any); 0 after a complaint. */
uint64_t tool_time(const struct tool_value *value, unsigned most_s);
/* The two sides of a value NAME=VALUE, in the arena; false after a complaint: one is empty. */
bool tool_pair(const struct tool_value *value, struct pto_arena *arena, const char **name,
               const char **right);

#endif
