#include "cli/options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/number.h"

enum {
    REPEAT_LIMIT = 1000000,
    FIRST_LONG = 256, /* getopt's value of option id 0: above all letters */
    HELP_COLUMN = 32
};

struct option_row {
    const char *section; /* of a heading row, else NULL */
    int letter;
    const char *name, *argument;
    unsigned users;
    const char *help;
    int id;
};

static const struct option_row ROW[] = {
#define SECTION(title) {title, 0, NULL, NULL, 0, NULL, -1},
#define OPTION(id, letter, name, argument, users, help)                                            \
    {NULL, letter, name, argument, users, help, CLI_OPT_##id},
#include "cli/options.def"
#undef SECTION
#undef OPTION
};
enum { ROWS = sizeof ROW / sizeof *ROW };

static const struct option_row *row_of(int id)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (ROW[i].id == id)
            return &ROW[i];
    return NULL;
}

/* One value under examination, for the messages. */
struct option_value {
    struct cli_options *options;
    struct pto_diags *diags;
    const struct option_row *row;
    const char *text;
};

static void complain(const struct option_value *v, const char *what, const char *hint)
{
    struct pto_diag *diag = pto_diag_add(v->diags, PTO_ERROR, NULL, 0, 0, "--%s %s: %s",
                                         v->row->name, v->text, what);
    pto_diag_hint(v->diags, diag, "%s", hint);
}

static int64_t int_in_range(const struct option_value *v, int64_t low, int64_t high)
{
    int64_t value;
    if (!cli_parse_int(v->text, strlen(v->text), &value)) {
        complain(v, "not an integer", "write for instance 8, 0x10 or 4K");
        return low;
    }
    if (value < low || value > high) {
        char hint[80];
        snprintf(hint, sizeof hint, "allowed are %lld to %lld", (long long)low, (long long)high);
        complain(v, "out of range", hint);
        return low;
    }
    return value;
}

static double tolerance(const struct option_value *v)
{
    double value;
    if (cli_parse_float(v->text, strlen(v->text), &value) && value >= 0)
        return value;
    complain(v, "not a tolerance", "write a finite number of at least 0, for instance 1e-3");
    return 0;
}

/* "name=value" with a name that could be declared. */
static void add_pair(const struct option_value *v, struct cli_pairs *pairs)
{
    const char *equals = strchr(v->text, '=');
    if (equals == NULL || equals == v->text || equals[1] == '\0') {
        complain(v, "name or value missing", "write NAME=VALUE without blanks around the '='");
        return;
    }
    struct pto_arena *arena = &v->options->arena;
    PTO_GROW(pairs->item, pairs->count, pairs->capacity);
    pairs->item[pairs->count++] = (struct cli_pair){
        pto_arena_strndup(arena, v->text, (size_t)(equals - v->text)),
        pto_arena_strdup(arena, equals + 1)};
}

/* One "A-B" of length `length`. */
static void add_link(const struct option_value *v, const char *text, size_t length)
{
    const char *dash = memchr(text, '-', length);
    int64_t a, b;
    if (dash == NULL || !cli_parse_int(text, (size_t)(dash - text), &a) ||
        !cli_parse_int(dash + 1, length - (size_t)(dash + 1 - text), &b) || a < 0 || b < 0 ||
        a >= PTO_MAX_RANKS || b >= PTO_MAX_RANKS) {
        complain(v, "not a pair of ranks", "write for instance 0-1 or 0-1,2-3");
        return;
    }
    if (a == b) {
        complain(v, "a rank has no link to itself", "name two different ranks");
        return;
    }
    struct cli_options *o = v->options;
    PTO_GROW(o->link_down, o->links_down, o->link_capacity);
    o->link_down[o->links_down++] = (struct pto_link){(int)a, (int)b};
}

static void add_links(const struct option_value *v)
{
    for (const char *at = v->text;;) {
        size_t length = strcspn(at, ",");
        add_link(v, at, length);
        if (at[length] == '\0')
            return;
        at += length + 1;
    }
}

static void add_slow_rank(const struct option_value *v)
{
    const char *equals = strchr(v->text, '=');
    int64_t rank;
    double factor;
    if (equals == NULL || !cli_parse_int(v->text, (size_t)(equals - v->text), &rank) || rank < 0 ||
        rank >= PTO_MAX_RANKS || !cli_parse_float(equals + 1, strlen(equals + 1), &factor) ||
        factor < 0.001 || factor > 1000) {
        complain(v, "not a rank and its factor",
                 "write for instance 3=2.5; the factor lies between 0.001 and 1000");
        return;
    }
    struct cli_options *o = v->options;
    PTO_GROW(o->slow_rank, o->slow_ranks, o->slow_capacity);
    o->slow_rank[o->slow_ranks++] = (struct pto_slow_rank){(int)rank, factor};
}

static void set_color(const struct option_value *v)
{
    static const char *const name[] = {"auto", "always", "never"};
    for (int i = 0; i < 3; i++)
        if (strcmp(v->text, name[i]) == 0) {
            v->options->color = (enum cli_color)i;
            return;
        }
    complain(v, "unknown", "write auto, always or never");
}

static void set_max_time(const struct option_value *v)
{
    if (!cli_parse_time(v->text, &v->options->max_time_ps))
        complain(v, "not a time", "write a positive number with its unit: ps, ns, us, ms or s");
}

static void add_script(const struct option_value *v, bool is_file)
{
    struct cli_options *o = v->options;
    PTO_GROW(o->script, o->scripts, o->script_capacity);
    o->script[o->scripts++] = (struct cli_script){is_file, pto_arena_strdup(&o->arena, v->text)};
}

static void add_include(const struct option_value *v)
{
    struct cli_options *o = v->options;
    PTO_GROW(o->include_dir, o->include_dirs, o->include_capacity);
    o->include_dir[o->include_dirs++] = pto_arena_strdup(&o->arena, v->text);
}

/* Store an option that carries a value in the machine or launch sections. */
static bool store_machine(const struct option_value *v)
{
    struct cli_options *o = v->options;
    switch (v->row->id) {
    case CLI_OPT_RANKS:
        o->ranks = (int)int_in_range(v, 1, PTO_MAX_RANKS);
        return true;
    case CLI_OPT_PROFILE:
        o->profile = pto_arena_strdup(&o->arena, v->text);
        return true;
    case CLI_OPT_CORES:
        o->cores = (int)int_in_range(v, 1, INT16_MAX);
        return true;
    case CLI_OPT_LINK_DOWN:
        add_links(v);
        return true;
    case CLI_OPT_SLOW_RANK:
        add_slow_rank(v);
        return true;
    case CLI_OPT_JITTER:
        o->jitter = (uint64_t)int_in_range(v, 0, INT64_MAX);
        return true;
    case CLI_OPT_REPEAT:
        o->repeat = (uint32_t)int_in_range(v, 1, REPEAT_LIMIT);
        return true;
    case CLI_OPT_JOIN:
        o->join = true;
        return true;
    case CLI_OPT_MAX_TIME:
        set_max_time(v);
        return true;
    case CLI_OPT_MAX_INSNS:
        o->max_insns = (uint64_t)int_in_range(v, 1, INT64_MAX);
        return true;
    default:
        return false;
    }
}

static bool store_data(const struct option_value *v)
{
    struct cli_options *o = v->options;
    switch (v->row->id) {
    case CLI_OPT_SET:
        add_pair(v, &o->set);
        return true;
    case CLI_OPT_IN:
        add_pair(v, &o->in);
        return true;
    case CLI_OPT_OUT:
        add_pair(v, &o->out);
        return true;
    case CLI_OPT_EXPECT:
        add_pair(v, &o->expect);
        return true;
    case CLI_OPT_RTOL:
        o->rtol = tolerance(v);
        return true;
    case CLI_OPT_ATOL:
        o->atol = tolerance(v);
        return true;
    case CLI_OPT_INCLUDE:
        add_include(v);
        return true;
    case CLI_OPT_DEFINE:
        add_pair(v, &o->define);
        return true;
    default:
        return false;
    }
}

static void store_report(const struct option_value *v)
{
    struct cli_options *o = v->options;
    switch (v->row->id) {
    case CLI_OPT_SCRIPT:
    case CLI_OPT_COMMAND:
        add_script(v, v->row->id == CLI_OPT_SCRIPT);
        break;
    case CLI_OPT_BATCH:
        o->batch = true;
        break;
    case CLI_OPT_JSON:
        o->json = true;
        if (v->text != NULL && strcmp(v->text, "-") != 0)
            o->json_path = pto_arena_strdup(&o->arena, v->text);
        break;
    case CLI_OPT_TRACE:
        o->trace_path = pto_arena_strdup(&o->arena, v->text);
        break;
    case CLI_OPT_TRACE_MAX:
        o->trace_max_events = (uint64_t)int_in_range(v, 1, 100000000);
        break;
    case CLI_OPT_QUIET:
        o->quiet = true;
        break;
    case CLI_OPT_VERBOSE:
        o->verbose = true;
        break;
    case CLI_OPT_COLOR:
        set_color(v);
        break;
    case CLI_OPT_HELP:
        o->help = true;
        break;
    default:
        o->version = true;
        break;
    }
}

/* An option of the checker; all but the exit status and the graph turn it on. */
static bool store_check(const struct option_value *v)
{
    struct cli_options *o = v->options;
    const char *text = v->text != NULL ? pto_arena_strdup(&o->arena, v->text) : NULL;
    switch (v->row->id) {
    case CLI_OPT_CHECK:
        break;
    case CLI_OPT_CHECK_KIND:
        o->check_kind = text;
        break;
    case CLI_OPT_CHECK_KERNEL:
        o->check_kernel = text;
        break;
    case CLI_OPT_CHECK_RANK:
        o->check_rank = (int)int_in_range(v, 0, PTO_MAX_RANKS - 1);
        break;
    case CLI_OPT_SUPPRESS:
        o->suppress_path = text;
        break;
    case CLI_OPT_SARIF:
        o->sarif_path = text;
        break;
    case CLI_OPT_WAIT_GRAPH:
        o->wait_graph_path = text;
        return true;
    case CLI_OPT_ERROR_EXITCODE:
        o->error_exitcode = (int)int_in_range(v, 0, 255);
        return true;
    default:
        return false;
    }
    o->check = true;
    return true;
}

static void store(struct option_value v)
{
    v.options->given[v.row->id] = true;
    if (!store_machine(&v) && !store_data(&v) && !store_check(&v))
        store_report(&v);
}

static int argument_kind(const struct option_row *row)
{
    if (row->argument == NULL)
        return no_argument;
    return row->argument[0] == '[' ? optional_argument : required_argument;
}

/* What getopt_long wants, from the table. */
struct getopt_tables {
    struct option longs[ROWS + 1];
    char shorts[3 * ROWS + 2];
};

static void build_tables(unsigned users, struct getopt_tables *tables)
{
    unsigned longs = 0, shorts = 0;
    memset(tables, 0, sizeof *tables);
    tables->shorts[shorts++] = ':'; /* tell a missing argument from an unknown option */
    for (unsigned i = 0; i < ROWS; i++) {
        const struct option_row *row = &ROW[i];
        if (row->section != NULL || !(row->users & users))
            continue;
        tables->longs[longs++] =
            (struct option){row->name, argument_kind(row), NULL, FIRST_LONG + row->id};
        if (row->letter != 0) {
            tables->shorts[shorts++] = (char)row->letter;
            for (int k = argument_kind(row); k > 0; k--)
                tables->shorts[shorts++] = ':';
        }
    }
}

static const struct option_row *find_row(int code, unsigned users)
{
    if (code >= FIRST_LONG)
        return row_of(code - FIRST_LONG);
    for (unsigned i = 0; i < ROWS; i++)
        if (ROW[i].section == NULL && ROW[i].letter == code && (ROW[i].users & users))
            return &ROW[i];
    return NULL;
}

static void complain_unknown(const char *word, unsigned users, struct pto_diags *diags)
{
    const char *names[ROWS];
    unsigned count = 0;
    for (unsigned i = 0; i < ROWS; i++)
        if (ROW[i].section == NULL && (ROW[i].users & users))
            names[count++] = ROW[i].name;

    char name[64];
    size_t skip = strspn(word, "-");
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + skip, "="), word + skip);
    bool is_long = strncmp(word, "--", 2) == 0;
    const char *best = is_long ? pto_nearest(name, names, count) : NULL;
    for (unsigned i = 0; i < count; i++)
        if (is_long && strcmp(names[i], name) == 0) {
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "option '--%s' takes no argument", name);
            return;
        }
    struct pto_diag *diag =
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "unknown option '%s'", word);
    if (best != NULL)
        pto_diag_hint(diags, diag, "did you mean '--%s'?", best);
}

static void parse_arguments(struct cli_options *options, int argc, char **argv, unsigned users,
                            struct pto_diags *diags)
{
    struct getopt_tables tables;
    build_tables(users, &tables);
    opterr = 0;
    optind = 0; /* makes getopt start over */
    for (;;) {
        int code = getopt_long(argc, argv, tables.shorts, tables.longs, NULL);
        if (code == -1)
            return;
        const struct option_row *row = find_row(code, users);
        if (code == ':') {
            row = find_row(optopt, users);
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "option '--%s' needs an argument: %s",
                         row ? row->name : "?", row ? row->argument : "?");
        } else if (row == NULL) {
            char letter[3] = {'-', (char)optopt, '\0'};
            bool is_letter = optopt > 0 && optopt < FIRST_LONG;
            complain_unknown(is_letter ? letter : argv[optind - 1], users, diags);
        } else {
            store((struct option_value){options, diags, row, optarg});
        }
    }
}

enum pto_status cli_options_parse(struct cli_options *options, int argc, char **argv,
                                  unsigned users, struct pto_diags *diags)
{
    memset(options, 0, sizeof *options);
    options->ranks = 1;
    options->repeat = 1;
    options->trace_max_events = 1000000;
    options->check_rank = -1;
    options->error_exitcode = CLI_EXIT_FINDINGS;

    /* getopt reorders its array; the caller's stays as it is. */
    char **copy = pto_arena_array(&options->arena, (size_t)argc + 1, sizeof *copy);
    memcpy(copy, argv, (size_t)argc * sizeof *copy);
    parse_arguments(options, argc, copy, users, diags);

    options->operands = (unsigned)(argc - optind);
    options->operand =
        pto_arena_array(&options->arena, (size_t)options->operands + 1, sizeof *options->operand);
    for (unsigned i = 0; i < options->operands; i++)
        options->operand[i] = pto_arena_strdup(&options->arena, copy[optind + (int)i]);
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}

enum pto_status cli_options_check(const struct cli_options *options, enum cli_user user,
                                  const char *name, struct pto_diags *diags)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (ROW[i].section == NULL && options->given[ROW[i].id] && !(ROW[i].users & user))
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "option '--%s' does not apply to '%s'",
                         ROW[i].name, name);
    return diags->errors == 0 ? PTO_OK : PTO_ECONFIG;
}

void cli_options_free(struct cli_options *options)
{
    free(options->link_down);
    free(options->slow_rank);
    free(options->set.item);
    free(options->in.item);
    free(options->out.item);
    free(options->expect.item);
    free(options->define.item);
    free(options->include_dir);
    free(options->script);
    pto_arena_free(&options->arena);
}

static void help_row(const struct option_row *row, struct pto_buf *out)
{
    char left[96];
    char letter[5] = "    ";
    if (row->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *argument = row->argument != NULL ? row->argument : "";
    if (argument_kind(row) == optional_argument)
        snprintf(left, sizeof left, "  %s--%s[=%s", letter, row->name, argument + 1);
    else
        snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name, *argument ? " " : "",
                 argument);
    bool fits = strlen(left) < HELP_COLUMN;
    pto_buf_printf(out, "%s%s%*s%s\n", left, fits ? "" : "\n",
                   fits ? HELP_COLUMN - (int)strlen(left) : HELP_COLUMN, "", row->help);
}

void cli_options_help(unsigned users, struct pto_buf *out)
{
    const char *section = NULL;
    for (unsigned i = 0; i < ROWS; i++) {
        if (ROW[i].section != NULL) {
            section = ROW[i].section;
            continue;
        }
        if (!(ROW[i].users & users))
            continue;
        if (section != NULL)
            pto_buf_printf(out, "\n%s:\n", section);
        section = NULL;
        help_row(&ROW[i], out);
    }
}
