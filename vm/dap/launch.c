/* Requests of a session's beginning and end. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dap/adapter.h"
#include "dbg/breakpoint.h"

/* ---- initialize ---- */

static json_t *filters(void)
{
    static const struct {
        const char *name, *label;
        bool by_default;
    } row[] = {
        {"nan", "An instruction writes a NaN", false},
        {"finding", "The checker finds something (with \"check\": true)", true},
    };
    json_t *list = json_array();

    for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:b}", "filter", row[i].name, "label",
                                              row[i].label, "default", row[i].by_default));
    return list;
}

const char *dap_initialize(struct dap *dap, const json_t *args, json_t **body)
{
    static const char *const yes[] = {
        "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",   "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers",        "supportsStepBack",
        "supportsRestartRequest",           "supportsExceptionInfoRequest",
        "supportsDataBreakpoints",          "supportsTerminateRequest",
        "supportsSteppingGranularity",      "supportsReadMemoryRequest",
        "supportsDisassembleRequest",       "supportsCompletionsRequest",
        "supportsSetVariable",              "supportsSetExpression",
        "supportsGotoTargetsRequest",       "supportsInstructionBreakpoints",
        "supportsWriteMemoryRequest",
    };
    const json_t *lines = json_object_get(args, "linesStartAt1");
    const json_t *columns = json_object_get(args, "columnsStartAt1");

    dap->first_lines = !json_is_false(lines);
    dap->first_columns = !json_is_false(columns);
    *body = json_object();
    for (unsigned i = 0; i < sizeof yes / sizeof *yes; i++)
        json_object_set_new(*body, yes[i], json_true());
    json_object_set_new(*body, "exceptionBreakpointFilters", filters());
    return NULL;
}

/* ---- launch ---- */

/* The command line that a launch stands for. */
struct line {
    struct dap *dap;
    char **word;
    int words, capacity;
};

static void add_word(struct line *line, const char *text)
{
    char **word;

    if (line->words + 1 >= line->capacity) {
        line->capacity = 2 * line->capacity + 16;
        word = pto_arena_array(&line->dap->arena, (size_t)line->capacity, sizeof *word);
        if (line->words > 0)
            memcpy(word, line->word, (size_t)line->words * sizeof *word);
        line->word = word;
    }
    line->word[line->words++] = pto_arena_strdup(&line->dap->arena, text);
    line->word[line->words] = NULL;
}

static void add_number(struct line *line, const json_t *args, const char *name, const char *option)
{
    char text[32];

    if (!json_is_integer(json_object_get(args, name)))
        return;
    snprintf(text, sizeof text, "%lld", (long long)dap_int(args, name, 0));
    add_word(line, option);
    add_word(line, text);
}

/* What the command line has, but for --dap; then what the launch adds. */
static const char *make_line(struct line *line, const json_t *args)
{
    const json_t *more = json_object_get(args, "args"), *word;
    const char *program = dap_text(args, "program", NULL);
    size_t i;

    for (int k = 0; k < line->dap->argc; k++)
        if (strcmp(line->dap->argv[k], "--dap") != 0)
            add_word(line, line->dap->argv[k]);
    if (more && !json_is_array(more))
        return "\"args\" has to be an array of strings";
    json_array_foreach (more, i, word) {
        if (!json_is_string(word))
            return "\"args\" has to be an array of strings";
        add_word(line, json_string_value(word));
    }
    add_number(line, args, "ranks", "--ranks");
    add_number(line, args, "cores", "--cores");
    if (dap_bool(args, "check"))
        add_word(line, "--check");
    if (program) {
        add_word(line, "--");
        add_word(line, program);
    }
    return NULL;
}

/* What the options, or the text, are wrong about. */
static const char *complain(struct dap *dap, const struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why;
    size_t length;

    pto_diags_text(diags, false, &text);
    length = strlen(pto_buf_text(&text));
    while (length > 0 && text.data[length - 1] == '\n')
        length--;
    why = dap_why(dap, "%.*s", (int)(length < sizeof dap->why ? length : sizeof dap->why - 1),
                  (const char *)text.data);
    pto_buf_free(&text);
    return why;
}

/* Values of the options that were left to a search. */
static const char *search(struct dap *dap, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why = NULL;
    int stopped_by;

    if (dbg_search_values(&dap->options, diags, &text, &stopped_by) != DBG_EXIT_DONE)
        why = stopped_by ? "the search for values was stopped, by --timeout or a signal"
                         : complain(dap, diags);
    else if (text.size)
        dap_output(dap, "console", pto_buf_text(&text));
    pto_buf_free(&text);
    return why;
}

static const char *create(struct dap *dap, const struct line *line)
{
    struct pto_diags diags = {0};
    const char *why = NULL;

    if (cli_options_parse(&dap->options, line->words, line->word, CLI_DEBUG, &diags) != PTO_OK)
        why = complain(dap, &diags);
    else if (dap->options.operands == 0)
        why = "\"program\" names no kernel file";
    else if (dap->options.scripts > 0 || dap->options.batch || dap->options.json_lines ||
             dap->options.tui)
        why = "with --dap the client gives the commands: leave out -x, -e, --batch, --json and "
              "--tui";
    else if (dap->options.core_path)
        why = "--dap has nothing of --core: give the options of that run, or leave out --dap";
    else if ((why = search(dap, &diags)) == NULL &&
             dbg_create(&dap->options, &dap->terminal, &diags, &dap->dbg) != PTO_OK)
        why = complain(dap, &diags);
    pto_diags_free(&diags);
    if (why)
        cli_options_free(&dap->options);
    else
        dap->dbg->at_prompt = true; /* there is somebody who goes on after an interruption */
    return why;
}

const char *dap_launch(struct dap *dap, const json_t *args, json_t **body)
{
    struct line line = {.dap = dap};
    const char *cwd = dap_text(args, "cwd", NULL), *why;

    (void)body;
    if (dap->dbg)
        return "a program is launched already; restart runs it again";
    if (cwd && chdir(cwd) != 0)
        return dap_why(dap, "cannot go to the folder '%.500s'", cwd);
    why = make_line(&line, args);
    if (why)
        return why;
    dap_terminal(dap);
    dap->stop_on_entry = dap_bool(args, "stopOnEntry");
    dap->stop_on_end = dap_bool(args, "stopOnEnd");
    return create(dap, &line);
}

/* ---- beginning and end ---- */

static void begin(struct dap *dap)
{
    dap->told_end = dap->terminated = false;
    dap->command = dap->stop_on_entry ? "start" : "run";
    dap->reason = "entry";
}

const char *dap_configuration_done(struct dap *dap, const json_t *args, json_t **body)
{
    (void)args, (void)body;
    if (dap->configured || dap->told_end)
        return "the run has begun already, or is over";
    dap->configured = true;
    begin(dap);
    return NULL;
}

const char *dap_restart(struct dap *dap, const json_t *args, json_t **body)
{
    (void)args, (void)body;
    if (!dap->configured)
        return "the run has not begun: configurationDone comes first";
    begin(dap);
    return NULL;
}

const char *dap_terminate(struct dap *dap, const json_t *args, json_t **body)
{
    (void)args, (void)body;
    dap->pausing = true;
    dap->command = NULL;
    dap->terminated = true;
    dap_tell_end(dap);
    return NULL;
}

const char *dap_disconnect(struct dap *dap, const json_t *args, json_t **body)
{
    (void)args, (void)body;
    dap->over = true;
    return NULL;
}
