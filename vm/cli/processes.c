#include "cli/processes.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/build.h"
#include "cli/data.h"
#include "cli/deal.h"
#include "cli/schedule.h"
#include "cli/stop.h"
#include "cli/tuned.h"
#include "data/hash.h"

/* ---- who there is ------------------------------------------------------------------------- */

static int number(const char *variable, int preset)
{
    const char *text = getenv(variable);
    long value = text ? strtol(text, NULL, 10) : 0;

    return text && value >= 0 && value <= INT32_MAX ? (int)value : preset;
}

void cli_processes_look(struct cli_processes *p)
{
    *p = (struct cli_processes){
        .process = number("OMPI_COMM_WORLD_RANK", 0),
        .processes = number("OMPI_COMM_WORLD_SIZE", 1),
        .beside = number("OMPI_COMM_WORLD_LOCAL_SIZE", 1),
    };
    if (p->processes < 1 || p->process >= p->processes)
        p->process = 0, p->processes = 1;
    if (p->beside < 1)
        p->beside = 1;
}

bool cli_processes_speaks(const struct cli_processes *p)
{
    return p->process == 0;
}

const struct pto_carrier *cli_processes_carrier(const struct cli_processes *p)
{
    return p->mpi ? &p->carrier : NULL;
}

/* ---- what they cannot do ------------------------------------------------------------------ */

static void refuse(const char *what, const char *remedy, struct pto_diags *diags)
{
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "%s makes many runs, and several processes share one", what),
                  "%s", remedy);
}

/* What is not of one run. */
static void refuse_series(const struct cli_options *options, const char *command,
                          struct pto_diags *diags)
{
    static const char *const MANY[] = {"explore", "tune", "whatif"};
    const char *alone = "start ptovm without mpirun: one process has all ranks";

    for (unsigned i = 0; i < sizeof MANY / sizeof *MANY; i++)
        if (!strcmp(command, MANY[i]))
            refuse(command, alone, diags);
    if (options->given[CLI_OPT_STATE])
        refuse("diff --state", alone, diags);
    if (cli_tuned_asked(options))
        refuse("--set NAME=auto",
               "find the value without mpirun, with 'ptovm tune', and give it as a number", diags);
    if (options->given[CLI_OPT_FIX])
        refuse("--fix", "leave it out for the findings; the repair takes a run without mpirun",
               diags);
}

/* Under one of its names, which may end at a colon. */
static void refuse_if_stdin(const char *path, struct pto_diags *diags)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};

    for (size_t i = 0; path && i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);

        if (!strncmp(path, names[i], length) && (!path[length] || path[length] == ':'))
            pto_diag_hint(diags,
                          pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                       "%s: standard input goes to one process, and each needs "
                                       "what it holds", path),
                          "give it as a file that every host can read");
    }
}

static void refuse_stdin(const struct cli_options *options, struct pto_diags *diags)
{
    const char *const path[] = {options->deal, options->profile, options->topology_path,
                                options->schedule_path, options->suppress_path};

    for (unsigned i = 1; i < options->operands; i++)
        refuse_if_stdin(options->operand[i], diags);
    for (size_t i = 0; i < sizeof path / sizeof *path; i++)
        refuse_if_stdin(path[i], diags);
    for (unsigned i = 0; i < options->in.count; i++)
        refuse_if_stdin(options->in.item[i].value, diags);
    for (unsigned i = 0; i < options->set.count; i++)
        if (*options->set.item[i].value == '@')
            refuse_if_stdin(options->set.item[i].value + 1, diags);
}

enum pto_status cli_processes_check(const struct cli_processes *p,
                                    const struct cli_options *options, const char *command,
                                    struct pto_diags *diags)
{
    unsigned errors = diags->errors;

    if (p->processes == 1 && options->deal)
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                   "--deal says nothing to one process, which has all ranks"),
                      "mpirun -n 4 ptovm ... starts four");
    if (p->processes == 1)
        return diags->errors == errors ? PTO_OK : PTO_ECONFIG;
    refuse_series(options, command, diags);
    refuse_stdin(options, diags);
    return diags->errors == errors ? PTO_OK : PTO_ECONFIG;
}

/* ---- meeting ------------------------------------------------------------------------------ */

/* Files and comparisons need the contents of objects; all else does without them. */
static bool wants(const void *context, const char *object, unsigned kind)
{
    const struct cli_options *options = context;

    for (unsigned i = 0; i < options->out.count; i++)
        if (!strcmp(options->out.item[i].name, object))
            return true;
    for (unsigned i = 0; i < options->expect.count; i++)
        if (!strcmp(options->expect.item[i].name, object))
            return true;
    return options->out_archive && cli_is_result((uint8_t)kind);
}

enum pto_status cli_processes_open(struct cli_processes *p, const struct cli_options *options,
                                   struct pto_diags *diags)
{
    const char *why = "";

    if (p->processes == 1)
        return PTO_OK;
    if (!cli_mpi_open(p, &why)) {
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                   "mpirun started %d processes: %s", p->processes, why),
                      "start ptovm without mpirun: one process has all ranks");
        return PTO_ECONFIG;
    }
    p->options = options;
    p->carrier.process = p->process;
    p->carrier.processes = p->processes;
    p->carrier.wants = wants;
    p->carrier.wants_context = options;
    return PTO_OK;
}

enum pto_status cli_processes_deal(struct cli_processes *p, const struct cli_options *options,
                                   struct pto_arena *arena, struct pto_diags *diags)
{
    return p->mpi ? cli_deal(options, p->processes, arena, &p->carrier.owner, diags) : PTO_OK;
}

void cli_processes_close(struct cli_processes *p)
{
    cli_mpi_close(p->mpi);
    p->mpi = NULL;
}

/* Tell all the words, and process 0 the text; `in` has room for what each tells. */
static void meet(struct cli_processes *p, const uint64_t *word, const struct pto_buf *text,
                 struct pto_parcel *in)
{
    struct pto_parcel *out = pto_xcalloc((size_t)p->processes, sizeof *out);

    for (int i = 0; i < p->processes; i++)
        memcpy(out[i].word, word, sizeof out[i].word);
    if (p->process > 0) {
        out[0].data = text->data;
        out[0].size = text->size;
    }
    p->carrier.meet(p->carrier.context, out, in);
    free(out);
}

/* ---- messages ----------------------------------------------------------------------------- */

static void put_text(const char *text, struct pto_buf *out)
{
    pto_buf_byte(out, text != NULL);
    if (text)
        pto_buf_append(out, text, strlen(text) + 1);
}

static const char *take_text(const char **at, struct pto_arena *arena)
{
    const char *text;

    if (!*(*at)++)
        return NULL;
    text = pto_arena_strdup(arena, *at);
    *at += strlen(*at) + 1;
    return text;
}

static void put_diag(const struct pto_diag *diag, struct pto_buf *out)
{
    pto_buf_append(out, diag, sizeof *diag);
    put_text(diag->file, out);
    put_text(diag->message, out);
    put_text(diag->hint, out);
    put_text(diag->source_line, out);
    put_text(diag->macro, out);
    if (diag->trail)
        put_diag(diag->trail, out);
}

static void take_diag(const char **at, struct pto_arena *arena, struct pto_diag *diag)
{
    struct pto_diag *next = diag->next;

    memcpy(diag, *at, sizeof *diag);
    *at += sizeof *diag;
    diag->next = next;
    diag->file = take_text(at, arena);
    diag->message = take_text(at, arena);
    diag->hint = take_text(at, arena);
    diag->source_line = take_text(at, arena);
    diag->macro = take_text(at, arena);
    if (!diag->trail)
        return;
    diag->trail = pto_arena_alloc(arena, sizeof *diag->trail);
    take_diag(at, arena, diag->trail);
}

/* The name of the host, and all messages. */
static void put_report(const struct pto_diags *diags, struct pto_buf *out)
{
    char host[256] = "";

    gethostname(host, sizeof host - 1);
    put_text(host, out);
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        put_diag(diag, out);
}

/* Those of the process that failed; where it is, unless that is here. */
static void take_report(int process, const struct pto_parcel *parcel, struct pto_diags *diags)
{
    const char *at = (const char *)parcel->data, *end = at + parcel->size, *host;
    char own[256] = "";

    gethostname(own, sizeof own - 1);
    host = take_text(&at, &diags->arena);
    while (at < end) {
        struct pto_diag record, *diag;

        memcpy(&record, at, sizeof record);
        diag = pto_diag_add(diags, record.severity, NULL, 0, 0, "%s", "");
        take_diag(&at, &diags->arena, diag);
    }
    if (strcmp(host, own) != 0)
        pto_diag_add(diags, PTO_NOTE, NULL, 0, 0, "found by process %d, on host %s", process, host);
}

static void complain_other(int process, const struct pto_parcel *parcel, const char *what,
                           struct pto_diags *diags)
{
    const char *at = (const char *)parcel->data;
    const char *host = take_text(&at, &diags->arena);

    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "process %d on host %s has %s than process 0", process, host, what),
                  "all processes of a run are started alike");
}

/* ---- agreeing ----------------------------------------------------------------------------- */

enum { WORD_CODE, WORD_BUILD, WORD_ARGUMENTS, WORD_PROGRAM, WORD_DEAL, WORD_FILES };

/* What the files hold that say what the machine is like, and the values of parameters. */
static uint64_t sum_of_files(const struct cli_launch *launch)
{
    const char *wires = launch->topology_text ? launch->topology_text : "";
    uint64_t sum = cli_hash(launch->values_sum, &launch->profile, sizeof launch->profile);

    return cli_hash(sum, wires, strlen(wires));
}

static uint64_t arguments_hash(int argc, char **argv)
{
    uint64_t hash = CLI_HASH_OF_NOTHING;

    for (int i = 1; i < argc; i++)
        hash = cli_hash(hash, argv[i], strlen(argv[i]) + 1);
    return hash;
}

static const char *difference(const uint64_t *a, const uint64_t *b)
{
    if (a[WORD_BUILD] != b[WORD_BUILD])
        return "another build of ptovm";
    if (a[WORD_ARGUMENTS] != b[WORD_ARGUMENTS])
        return "other arguments";
    if (a[WORD_PROGRAM] != b[WORD_PROGRAM])
        return "other kernels";
    if (a[WORD_DEAL] != b[WORD_DEAL])
        return "another file of --deal";
    return a[WORD_FILES] != b[WORD_FILES] ? "another profile, topology or file of --set" : NULL;
}

/* The first that failed, else the first that is not like process 0; -1: none. */
static int trouble(const struct cli_processes *p, const struct pto_parcel *in)
{
    for (int i = 0; i < p->processes; i++)
        if (in[i].word[WORD_CODE] != EXIT_DONE)
            return i;
    for (int i = 1; i < p->processes; i++)
        if (difference(in[i].word, in[0].word))
            return i;
    return -1;
}

enum exit_code cli_processes_agree(struct cli_processes *p, enum exit_code code, int argc,
                                   char **argv, const struct cli_launch *launch,
                                   struct pto_diags *diags)
{
    const size_t owners = p->carrier.owner ? (size_t)p->options->ranks * sizeof(int) : 0;
    uint64_t word[PTO_PARCEL_WORDS] = {(uint64_t)code};
    struct pto_parcel *in;
    struct pto_buf text = {0};
    const char *other;
    int first;

    if (!p->mpi)
        return code;
    cli_stop_share();
    word[WORD_BUILD] = cli_build_hash();
    word[WORD_ARGUMENTS] = arguments_hash(argc, argv);
    if (code == EXIT_DONE) {
        word[WORD_PROGRAM] = cli_program_hash(p->options, launch);
        word[WORD_DEAL] = cli_hash(CLI_HASH_OF_NOTHING, p->carrier.owner, owners);
        word[WORD_FILES] = sum_of_files(launch);
    }
    put_report(diags, &text);
    in = pto_xcalloc((size_t)p->processes, sizeof *in);
    meet(p, word, &text, in);
    first = trouble(p, in);
    other = first > 0 ? difference(in[first].word, in[0].word) : NULL;
    if (first >= 0)
        code = (enum exit_code)in[first].word[WORD_CODE];
    if (first > 0 && code == EXIT_DONE) {
        code = EXIT_USAGE;
        if (p->process == 0)
            complain_other(first, &in[first], other, diags);
    } else if (first > 0 && p->process == 0) {
        take_report(first, &in[first], diags);
    }
    for (int i = 0; i < p->processes; i++)
        free(in[i].data);
    free(in);
    pto_buf_free(&text);
    return code;
}

enum pto_status cli_processes_worst(struct cli_processes *p, enum pto_status status,
                                    struct pto_diags *diags)
{
    const uint64_t word[PTO_PARCEL_WORDS] = {(uint64_t)status};
    struct pto_parcel *in;
    struct pto_buf text = {0};
    int first = 0;

    if (!p || !p->mpi)
        return status;
    put_report(diags, &text);
    in = pto_xcalloc((size_t)p->processes, sizeof *in);
    meet(p, word, &text, in);
    while (first < p->processes && in[first].word[0] == PTO_OK)
        first++;
    status = first < p->processes ? (enum pto_status)in[first].word[0] : PTO_OK;
    if (p->process == 0 && first > 0 && first < p->processes)
        take_report(first, &in[first], diags);
    for (int i = 0; i < p->processes; i++)
        free(in[i].data);
    free(in);
    pto_buf_free(&text);
    return status;
}

int cli_processes_stopped(struct cli_processes *p, int by)
{
    const uint64_t word[PTO_PARCEL_WORDS] = {(uint64_t)(int64_t)by};
    struct pto_parcel *in;

    if (!p || !p->mpi)
        return by;
    in = pto_xcalloc((size_t)p->processes, sizeof *in);
    meet(p, word, &(struct pto_buf){0}, in);
    for (int i = 0; i < p->processes && !by; i++)
        by = (int)(int64_t)in[i].word[0];
    free(in);
    return by;
}

/* ---- what they gave each other ------------------------------------------------------------ */

void cli_processes_host(const struct cli_processes *p, const struct pto_vm *vm, double seconds,
                        struct pto_buf *text)
{
    const struct pto_traffic traffic = pto_vm_traffic(vm);
    const uint64_t processes = (uint64_t)p->processes;
    const struct {
        const char *name;
        uint64_t value;
    } item[] = {
        {"processes", processes},
        {"windows", traffic.windows},
        {"meetings", traffic.meetings},
        {"parcels", traffic.parcels},
        {"most_parcels", traffic.meetings * processes * (processes - 1)}, /* one for each pair */
        {"messages", traffic.messages},
        {"payload", traffic.payload},
        {"bytes", traffic.bytes},
    };

    pto_buf_printf(text, "host          %.3f s, %llu pipe events\n", seconds,
                   (unsigned long long)pto_vm_events(vm));
    if (!p->mpi)
        return;
    pto_buf_printf(text, "host          meetings {");
    for (size_t i = 0; i < sizeof item / sizeof *item; i++)
        pto_buf_printf(text, "%s\"%s\": %llu", i ? ", " : "", item[i].name,
                       (unsigned long long)item[i].value);
    pto_buf_printf(text, "}\n");
}
