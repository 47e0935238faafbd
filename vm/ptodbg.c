/* ptodbg: debug kernels on simulated ranks.  See docs/debugger.md. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/core.h"
#include "cli/stop.h"
#include "dap/dap.h"
#include "dbg/term.h"
#include "file.h"
#include "process.h"
#include "tui/tui.h"
#include "version.h"

/* Where its user wants to have the lines kept that are typed at the prompt. */
static const char HISTORY[] = "PTODBG_HISTORY";

struct session {
    struct cli_options options;
    struct cli_core core; /* that was opened; no words: none */
    struct pto_diags diags;
    struct dbg_terminal terminal;
    struct dbg *dbg;
};

/* Ctrl-C stops the machine, not the debugger. */
static struct dbg *interruptible;

static void on_interrupt(int signal_number)
{
    (void)signal_number;
    if (interruptible)
        dbg_interrupt(interruptible);
}

static void catch_interrupt(struct dbg *dbg)
{
    struct sigaction action = {.sa_handler = on_interrupt};

    interruptible = dbg;
    sigaction(SIGINT, &action, NULL);
}

static void on_time_over(int signal_number)
{
    (void)signal_number;
    if (interruptible)
        dbg_expire(interruptible);
}

/* At a prompt there is somebody who can press Ctrl-C. */
static void limit_time(const struct cli_options *options)
{
    const uint64_t second_ps = UINT64_C(1000000000000), least_ps = 1000000;
    uint64_t ps = options->limits.timeout_ps;
    struct sigaction action = {.sa_handler = on_time_over, .sa_flags = SA_RESTART};
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)(ps / second_ps),
                                           .tv_usec = (suseconds_t)(ps % second_ps / least_ps)}};

    if (!options->batch)
        return;
    if (ps < least_ps)
        timer.it_value.tv_usec = 1;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void choose_terminal(struct session *s)
{
    term_plain(&s->terminal);
    s->terminal.interactive = s->terminal.interactive && !s->options.batch &&
                              !s->options.json_lines;
#ifdef PTO_READLINE
    if (s->terminal.interactive)
        term_readline(&s->terminal);
#endif
    s->terminal.colours = s->terminal.interactive &&
                          tool_wants_colour(s->options.colour, STDOUT_FILENO);
    s->terminal.full_screen = tui_show;
}

/* To where the run ended that left the core file. */
static void go_to_end(struct session *s)
{
    char command[64] = "run";
    bool passes;

    if (s->core.words == 0)
        return;
    passes = s->options.check && strcmp(s->core.end, "finding") != 0;
    if (!strcmp(s->core.end, "stopped"))
        snprintf(command, sizeof command, "goto-time %llups",
                 (unsigned long long)s->core.time_ps);
    if (passes) /* findings came before the end */
        dbg_command(s->dbg, "disable 1");
    dbg_command(s->dbg, command);
    if (passes)
        dbg_command(s->dbg, "enable 1");
}

/* Values that were left to a search. */
static enum dbg_exit find_values(struct session *s)
{
    struct pto_buf text = {0};
    int stopped_by;
    enum dbg_exit code = dbg_search_values(&s->options, &s->diags, &text, &stopped_by);

    if (stopped_by)
        cli_stop_tell(stopped_by, &s->options.limits, stderr);
    if (text.size && !s->options.json_lines)
        fwrite(text.data, 1, text.size, stdout);
    pto_buf_free(&text);
    return code;
}

static enum dbg_exit debug(struct session *s)
{
    enum pto_status status;
    enum dbg_exit code;

    choose_terminal(s);
    code = find_values(s);
    if (code != DBG_EXIT_DONE)
        return code;
    status = dbg_create(&s->options, &s->terminal, &s->diags, &s->dbg);
    if (status != PTO_OK)
        return dbg_exit_of(status);
    catch_interrupt(s->dbg);
    limit_time(&s->options);
#ifdef PTO_READLINE
    term_readline_attach(s->dbg);
#endif
    if (s->terminal.interactive)
        printf("ptodbg %s.  'help' lists the commands, 'start' begins.\n", pto_version());
    if (s->terminal.interactive && getenv(HISTORY) && *getenv(HISTORY))
        dbg_keep_lines(s->dbg, getenv(HISTORY));
    go_to_end(s);
    code = dbg_session(s->dbg);
    interruptible = NULL;
    if (dbg_expired(s->dbg))
        cli_stop_tell(SIGALRM, &s->options.limits, stderr);
    dbg_free(s->dbg);
    return code;
}

static enum dbg_exit help(void)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "usage: ptodbg [options] FILE[:KERNEL]...\n\n"
                          "Debug kernels as 'ptovm run' runs them.  FILE is assembly text\n"
                          "(.pto), an object (.ptob) or - for standard input.  Options may stand\n"
                          "anywhere.  The variable PTODBG_HISTORY of the environment names a file\n"
                          "that keeps the lines of the prompt for the next session.\n");
    cli_options_help(CLI_DEBUG, &text);
    pto_buf_printf(&text, "\nexit status: 0 done; 1 the program is wrong; 2 usage, files, or a "
                          "command of a\n  script failed; 3 deadlock; 4 findings of "
                          "--check; 5 limit\n"
                          "  reached; 70 internal error; 71 out of memory; 130 interrupted without "
                          "anybody at a prompt\n");
    fwrite(text.data, 1, text.size, stdout);
    pto_buf_free(&text);
    return DBG_EXIT_DONE;
}

/* Scripts are named where this call was made, all else where the run was. */
static void name_scripts(struct session *s, const char *folder)
{
    for (unsigned i = 0; i < s->options.scripts; i++) {
        struct cli_script *script = &s->options.script[i];

        if (script->is_file && script->text[0] != '/' && strcmp(script->text, "-") != 0)
            script->text = pto_arena_printf(&s->core.arena, "%s/%s", folder, script->text);
    }
}

/* Words of a command line that the option at `word` takes, which are not taken over: what they say
 * holds for one of the two programs alone.  0: it is another one. */
static int words_left_out(const char *word)
{
    static const struct {
        const char *name;
        int words;
    } row[] = {{"--core", 2}, {"--record", 2}, {"--timeout", 2}, {"--json", 1}};

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        size_t length = strlen(row[i].name);

        if (!strncmp(word, row[i].name, length) && (word[length] == '\0' || word[length] == '='))
            return word[length] == '=' ? 1 : row[i].words;
    }
    return 0;
}

/* The options of this call without --core, then those of the run. */
static enum pto_status take_options(struct session *s, int argc, char **argv)
{
    int words = 1;
    char **word = pto_arena_array(&s->core.arena, (size_t)(argc + s->core.words + 1),
                                  sizeof *word);

    word[0] = argv[0];
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--core"))
            i++;
        else if (strncmp(argv[i], "--core=", 7) != 0)
            word[words++] = argv[i];
    }
    for (int i = 1; i < s->core.words; i++) {
        int left_out = words_left_out(s->core.word[i]);

        if (left_out > 0)
            i += left_out - 1;
        else
            word[words++] = s->core.word[i];
    }
    cli_options_free(&s->options);
    return cli_options_parse(&s->options, words, word, CLI_DEBUG | CLI_RUN, &s->diags);
}

static enum dbg_exit open_core(struct session *s, int argc, char **argv)
{
    char *folder = pto_file_folder();
    enum pto_status status = PTO_ECONFIG;

    if (s->options.operands > 0)
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "with --core the file names the kernel");
    else if (cli_core_read(s->options.core_path, &s->core, &s->diags) == PTO_OK &&
             chdir(s->core.folder) != 0)
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "the folder '%s' of the run is not there",
                     s->core.folder);
    else if (s->diags.errors == 0)
        status = take_options(s, argc, argv);
    if (status == PTO_OK && s->options.operands < 2) { /* run, and a kernel */
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "the core file names no kernel");
        status = PTO_ECONFIG;
    }
    if (status == PTO_OK) {
        s->options.operand++;
        s->options.operands--;
        name_scripts(s, folder ? folder : ".");
    }
    free(folder);
    return status == PTO_OK ? debug(s) : DBG_EXIT_USAGE;
}

/* What an editor sends names the kernel and the rest of the options. */
static enum dbg_exit serve(int argc, char **argv)
{
    const char *why = NULL;
    enum dbg_exit code = dap_serve(argc, argv, STDIN_FILENO, STDOUT_FILENO, &why);

    if (why)
        fprintf(stderr, "error: %s\n", why);
    return code;
}

static enum dbg_exit run(struct session *s, int argc, char **argv)
{
    static char command_option[] = "-e";

    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "-ex")) /* as gdb spells it */
            argv[i] = command_option;
    if (cli_options_parse(&s->options, argc, argv, CLI_DEBUG, &s->diags) != PTO_OK)
        return DBG_EXIT_USAGE;
    if (s->options.help)
        return help();
    if (s->options.version) {
        printf("ptodbg %s\n", pto_version());
        return DBG_EXIT_DONE;
    }
    if (s->options.dap)
        return serve(argc, argv);
    if (s->options.core_path)
        return open_core(s, argc, argv);
    if (s->options.operands == 0) {
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "no kernel file given");
        return DBG_EXIT_USAGE;
    }
    if (s->options.given[CLI_OPT_TIMEOUT] && !s->options.batch) {
        pto_diag_add(&s->diags, PTO_ERROR, NULL, 0, 0, "--timeout is for --batch");
        return DBG_EXIT_USAGE;
    }
    return debug(s);
}

int main(int argc, char **argv)
{
    struct session session = {0};
    enum dbg_exit code;

    pto_process_begin();
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away must not take the results along */
    code = run(&session, argc, argv);
    pto_diags_print(&session.diags, stderr,
                    tool_wants_colour(session.options.colour, STDERR_FILENO));
    if (code == DBG_EXIT_USAGE && session.diags.errors > 0)
        fprintf(stderr, "Try 'ptodbg --help'.\n");
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "error: cannot write to standard output\n");
        code = code == DBG_EXIT_DONE ? DBG_EXIT_USAGE : code;
    }
    cli_options_free(&session.options);
    cli_core_free(&session.core);
    pto_diags_free(&session.diags);
    return (int)code;
}
