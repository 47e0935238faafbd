#include "cli/deal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"

enum { NOBODY = -1 };

struct dealer {
    const char *path;
    const char *at;         /* in the text, which ends with a 0 */
    const char *line_begin;
    uint32_t line;          /* counted from 1 */
    int ranks, processes;
    int *owner;             /* of each rank, or NOBODY */
    struct pto_diags *diags;
};

static struct pto_diag *complain(const struct dealer *d, const char *where, const char *message)
{
    const uint32_t column = (uint32_t)(where - d->line_begin) + 1;

    return pto_diag_add(d->diags, PTO_ERROR, d->path, d->line, column, "%s", message);
}

static void skip_blanks(struct dealer *d)
{
    d->at += strspn(d->at, " \t\r");
    if (*d->at == '#')
        d->at += strcspn(d->at, "\n");
}

/* A number below `end`, of which there are so many `things`. */
static bool take_number(struct dealer *d, int end, const char *thing, int *value)
{
    const char *begin = d->at;
    long number;

    if (!isdigit((unsigned char)*begin)) {
        pto_diag_hint(d->diags,
                      complain(d, begin, pto_arena_printf(&d->diags->arena,
                                                          "the number of a %s is wanted here",
                                                          thing)),
                      "a line is a process and its ranks: 0: 0-15, 32");
        return false;
    }
    d->at += strspn(begin, "0123456789");
    number = d->at - begin > 9 ? end : strtol(begin, NULL, 10);
    if (number >= end) {
        complain(d, begin, pto_arena_printf(&d->diags->arena, "%s %.*s: there are 0 to %d", thing,
                                            (int)(d->at - begin), begin, end - 1));
        return false;
    }
    *value = (int)number;
    skip_blanks(d);
    return true;
}

static bool give(struct dealer *d, const char *where, int rank, int process)
{
    if (d->owner[rank] != NOBODY) {
        complain(d, where, pto_arena_printf(&d->diags->arena,
                                            "rank %d has been dealt to process %d already", rank,
                                            d->owner[rank]));
        return false;
    }
    d->owner[rank] = process;
    return true;
}

/* "3" or "0-15" */
static bool take_ranks(struct dealer *d, int process)
{
    const char *begin = d->at;
    int first, last;

    if (!take_number(d, d->ranks, "rank", &first))
        return false;
    last = first;
    if (*d->at == '-') {
        d->at++;
        skip_blanks(d);
        if (!take_number(d, d->ranks, "rank", &last))
            return false;
    }
    if (last < first) {
        complain(d, begin, "the last rank comes before the first");
        return false;
    }
    for (int rank = first; rank <= last; rank++)
        if (!give(d, begin, rank, process))
            return false;
    return true;
}

/* Up to the end of the line. */
static bool take_line(struct dealer *d)
{
    int process;

    skip_blanks(d);
    if (!*d->at || *d->at == '\n')
        return true;
    if (!take_number(d, d->processes, "process", &process))
        return false;
    if (*d->at != ':') {
        complain(d, d->at, "':' is wanted behind the number of the process");
        return false;
    }
    do {
        d->at++;
        skip_blanks(d);
        if (!take_ranks(d, process))
            return false;
    } while (*d->at == ',');
    if (*d->at && *d->at != '\n') {
        complain(d, d->at, "',' or the end of the line is wanted here");
        return false;
    }
    return true;
}

/* Every rank has a process, every process a rank. */
static void check_whole(const struct dealer *d)
{
    for (int rank = 0; rank < d->ranks; rank++)
        if (d->owner[rank] == NOBODY) {
            pto_diag_add(d->diags, PTO_ERROR, d->path, 0, 0, "rank %d is dealt to no process",
                         rank);
            return;
        }
    for (int process = 0; process < d->processes; process++) {
        int rank = 0;

        while (rank < d->ranks && d->owner[rank] != process)
            rank++;
        if (rank < d->ranks)
            continue;
        pto_diag_add(d->diags, PTO_ERROR, d->path, 0, 0, "process %d of %d has no rank", process,
                     d->processes);
        return;
    }
}

static void read_file(struct dealer *d)
{
    struct pto_buf text = {0};
    const char *why = "";
    bool good = true;

    if (pto_file_read(d->path, PTO_FILE_SETTINGS, &text, &why) != PTO_OK) {
        pto_diag_hint(d->diags,
                      pto_diag_add(d->diags, PTO_ERROR, NULL, 0, 0, "cannot read --deal '%s': %s",
                                   d->path, why),
                      "--deal is blocks, cyclic, or a file");
        good = false;
    }
    for (d->at = pto_buf_text(&text), d->line = 1; good; d->line++) {
        d->line_begin = d->at;
        good = take_line(d);
        if (!*d->at || !good)
            break;
        d->at++;
    }
    if (good)
        check_whole(d);
    pto_buf_free(&text);
}

enum pto_status cli_deal(const struct cli_options *options, int processes,
                         struct pto_arena *arena, const int **owner, struct pto_diags *diags)
{
    struct dealer d = {.path = options->deal, .ranks = options->ranks, .processes = processes,
                       .diags = diags};
    unsigned errors = diags->errors;

    *owner = NULL;
    if (!options->deal || !strcmp(options->deal, "blocks"))
        return PTO_OK;
    d.owner = pto_arena_array(arena, (size_t)d.ranks, sizeof *d.owner);
    for (int rank = 0; rank < d.ranks; rank++)
        d.owner[rank] = strcmp(options->deal, "cyclic") ? NOBODY : rank % processes;
    if (strcmp(options->deal, "cyclic") != 0)
        read_file(&d);
    *owner = d.owner;
    return diags->errors == errors ? PTO_OK : PTO_ECONFIG;
}
