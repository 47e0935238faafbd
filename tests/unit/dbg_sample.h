/* A debugger over tests/dbg/add.pto whose answers land in a buffer. */
#ifndef DBG_SAMPLE_H
#define DBG_SAMPLE_H

#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dbg/state.h"

struct sample {
    char path[4096]; /* the options keep pointing at it */
    struct cli_options options;
    struct dbg_terminal terminal;
    struct pto_buf answer;
    const char *const *lines; /* what the terminal types, NULL at the end */
    struct dbg *dbg;
};

static inline char *sample_read(void *context, const char *prompt)
{
    struct sample *s = context;

    (void)prompt;
    return s->lines && *s->lines ? strdup(*s->lines++) : NULL;
}

static inline void sample_write(void *context, const char *text, size_t length)
{
    pto_buf_append(&((struct sample *)context)->answer, text, length);
}

static inline void sample_open(struct sample *s, bool interactive)
{
    struct pto_diags diags = {0};
    char *argv[] = {"ptodbg", s->path, "--profile", "toy", "--cores", "1", "--set", "n=200",
                    "--in", "a=iota", "--in", "b=ones", NULL};

    memset(s, 0, sizeof *s);
    snprintf(s->path, sizeof s->path, "%s/tests/dbg/add.pto", getenv("PTO_SOURCE_DIR"));
    s->terminal = (struct dbg_terminal){.context = s, .read = sample_read,
                                        .write = sample_write, .interactive = interactive};
    assert_int_equal(cli_options_parse(&s->options, 12, argv, CLI_DEBUG, &diags), PTO_OK);
    if (dbg_create(&s->options, &s->terminal, &diags, &s->dbg) != PTO_OK)
        fail_msg("%s", diags.first->message);
    pto_diags_free(&diags);
}

static inline void sample_close(struct sample *s)
{
    dbg_free(s->dbg);
    pto_buf_free(&s->answer);
    cli_options_free(&s->options);
}

/* Carry out a command; its answer alone is in s->answer. */
static inline bool sample_do(struct sample *s, const char *line)
{
    bool good;

    s->answer.size = 0;
    good = dbg_command(s->dbg, line);
    pto_buf_text(&s->answer);
    return good;
}

static inline bool sample_says(struct sample *s, const char *text)
{
    return strstr(pto_buf_text(&s->answer), text) != NULL;
}

#endif
