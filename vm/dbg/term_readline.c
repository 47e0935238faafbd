/* The only file that knows GNU readline, or libedit, which speaks the same (PTO_LIBEDIT). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PTO_LIBEDIT
#include <editline/readline.h>
#else
#include <readline/history.h>
#include <readline/readline.h>
#endif

#include "dbg/term.h"

/* Readline's own allocations: it calls these, which the program may define, and ends the program in
 * its own way if they fail. */
#define FOR_READLINE __attribute__((visibility("default")))
FOR_READLINE void *xmalloc(size_t size);
FOR_READLINE void *xrealloc(void *memory, size_t size);

void *xmalloc(size_t size)
{
    return pto_xmalloc(size);
}

void *xrealloc(void *memory, size_t size)
{
    return pto_xrealloc(memory, size);
}

static struct dbg *completing; /* readline's callbacks carry no context */
static char **candidates;
static size_t next_candidate;

static char *take_candidate(const char *text, int state)
{
    (void)text;
    if (state == 0)
        next_candidate = 0;
    return candidates[next_candidate] ? candidates[next_candidate++] : NULL;
}

/* The only candidate is a folder, behind whose name more is to come. */
static bool is_folder(char *const *candidate)
{
    size_t length = candidate[0] && !candidate[1] ? strlen(candidate[0]) : 0;

    return length > 0 && candidate[0][length - 1] == '/';
}

static char **complete(const char *text, int start, int end)
{
    char *line = pto_xstrndup(rl_line_buffer, (size_t)end);
    size_t word;
    char **matches;

    (void)start;
    rl_attempted_completion_over = 1; /* file names are among the candidates where they belong */
    candidates = completing ? dbg_complete(completing, line, &word) : NULL;
    free(line);
    if (!candidates)
        return NULL;
    rl_completion_append_character = is_folder(candidates) ? '\0' : ' ';
    matches = rl_completion_matches(text, take_candidate);
    free(candidates); /* readline owns the texts */
    candidates = NULL;
    return matches;
}

#ifndef PTO_LIBEDIT
/* Ctrl-C at the prompt drops the line; libedit has no such hook. */
static int drop_line(void)
{
    rl_free_line_state();
    rl_replace_line("", 0);
    rl_point = rl_mark = 0;
    rl_crlf();
    rl_on_new_line();
    rl_redisplay();
    return 0;
}
#endif

static char *read_line(void *context, const char *prompt)
{
    char *line;

    (void)context;
    fflush(stdout);
    line = readline(prompt);
    if (line && *line)
        add_history(line);
    return line;
}

static void recall(void *context, const char *line)
{
    (void)context;
    add_history(line);
}

void term_readline(struct dbg_terminal *terminal)
{
    term_plain(terminal);
    terminal->read = read_line;
    terminal->recall = recall;
    rl_readline_name = "ptodbg";
    rl_attempted_completion_function = complete;
    rl_completer_word_break_characters = " \t";
#ifndef PTO_LIBEDIT
    rl_signal_event_hook = drop_line;
#endif
    using_history();
}

void term_readline_attach(struct dbg *dbg)
{
    completing = dbg;
}
