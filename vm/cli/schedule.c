#include "cli/schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "data/hash.h"
#include "file.h"
#include "tool/number.h"

static const char HEAD[] = "pto-schedule 1";
enum { MOST_WORDS = 5, MOST_DELAYS = 100000 };

/* ---- building ---- */

void cli_schedule_copy(const struct cli_schedule *from, struct cli_schedule *to)
{
    memset(to, 0, sizeof *to);
    for (unsigned i = 0; i < from->delays; i++)
        cli_schedule_delay(to, &from->delay[i]);
    for (unsigned i = 0; i < from->slows; i++)
        cli_schedule_slow(to, from->slow[i]);
}

static int compare(const struct pto_delay *a, const struct pto_delay *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->core != b->core)
        return a->core < b->core ? -1 : 1;
    return a->act < b->act ? -1 : a->act > b->act;
}

void cli_schedule_delay(struct cli_schedule *schedule, const struct pto_delay *delay)
{
    unsigned at = schedule->delays;

    while (at > 0 && compare(&schedule->delay[at - 1], delay) >= 0)
        at--;
    if (at < schedule->delays && compare(&schedule->delay[at], delay) == 0) {
        schedule->delay[at].ps += delay->ps;
        return;
    }
    PTO_GROW(schedule->delay, schedule->delays, schedule->delay_capacity);
    memmove(&schedule->delay[at + 1], &schedule->delay[at],
            (schedule->delays++ - at) * sizeof *delay);
    schedule->delay[at] = *delay;
}

void cli_schedule_slow(struct cli_schedule *schedule, struct pto_slow_rank slow)
{
    PTO_GROW(schedule->slow, schedule->slows, schedule->slow_capacity);
    schedule->slow[schedule->slows++] = slow;
}

void cli_schedule_free(struct cli_schedule *schedule)
{
    free(schedule->delay);
    free(schedule->slow);
}

/* ---- what it fits ---- */

/* Whether a line of a disassembly says only where something stands in a file. */
static bool says_where(const char *line, size_t length)
{
    static const char *const word[] = {".file ", ".pos ", ".at "};

    while (length > 0 && *line == ' ')
        line++, length--;
    for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
        if (length > strlen(word[i]) && strncmp(line, word[i], strlen(word[i])) == 0)
            return true;
    return false;
}

static uint64_t hash_code(uint64_t hash, const struct pto_module *module, bool places)
{
    struct pto_buf text = {0};

    pto_disassemble(module, &text);
    if (places)
        hash = cli_hash(hash, text.data, text.size);
    for (size_t at = 0, end; !places && at < text.size; at = end) {
        const char *line = (const char *)text.data + at;
        const char *newline = memchr(line, '\n', text.size - at);

        end = newline ? at + (size_t)(newline - line) + 1 : text.size;
        if (!says_where(line, end - at))
            hash = cli_hash(hash, line, end - at);
    }
    pto_buf_free(&text);
    return hash;
}

static uint64_t hash_program(const struct cli_options *options, const struct cli_launch *launch,
                             bool places)
{
    const int64_t machine[] = {options->ranks, options->cores, options->repeat, options->join};
    uint64_t hash = cli_hash(CLI_HASH_OF_NOTHING, machine, sizeof machine);

    hash = cli_hash(hash, launch->profile.name, strlen(launch->profile.name));
    for (unsigned i = 0; i < options->profile_sets; i++)
        hash = cli_hash(hash, options->profile_set[i], strlen(options->profile_set[i]));
    for (unsigned k = 0; k < launch->kernels; k++) {
        hash = hash_code(hash, &launch->kernel[k].file->program.module, places);
        hash = cli_hash(hash, &launch->kernel[k].kernel, sizeof launch->kernel[k].kernel);
    }
    return hash;
}

uint64_t cli_program_hash(const struct cli_options *options, const struct cli_launch *launch)
{
    return hash_program(options, launch, true);
}

/* Acts are counted, so a schedule fits the same code wherever it lies, with other comments. */
static uint64_t fits(const struct cli_options *options, const struct cli_launch *launch)
{
    return hash_program(options, launch, false);
}

void cli_schedule_text(const struct cli_options *options, const struct cli_launch *launch,
                       const struct cli_schedule *schedule, struct pto_buf *out)
{
    pto_buf_printf(out, "%s\nprogram %016" PRIx64 "\n", HEAD, fits(options, launch));
    for (unsigned i = 0; i < schedule->slows; i++)
        pto_buf_printf(out, "slow %d %g\n", schedule->slow[i].rank, schedule->slow[i].factor);
    for (unsigned i = 0; i < schedule->delays; i++) {
        const struct pto_delay *delay = &schedule->delay[i];

        pto_buf_printf(out, "delay %d %u %u %" PRIu64 "\n", delay->rank, delay->core, delay->act,
                       delay->ps);
    }
}

/* ---- reading ---- */

static bool take_int(const char *word, int64_t low, int64_t high, int64_t *value)
{
    return tool_parse_int(word, strlen(word), value) && *value >= low && *value <= high;
}

static bool take_slow(char **word, const struct cli_options *options,
                      struct cli_schedule *schedule)
{
    int64_t rank;
    double factor;

    if (!take_int(word[1], 0, options->ranks - 1, &rank) ||
        !tool_parse_float(word[2], strlen(word[2]), &factor) || factor < 0.001 || factor > 1000)
        return false;
    cli_schedule_slow(schedule, (struct pto_slow_rank){.rank = (int)rank, .factor = factor});
    return true;
}

static int64_t sub_cores(const struct cli_options *options, const struct pto_profile *profile)
{
    int64_t blocks = options->cores ? options->cores : (int64_t)profile->cores;

    return blocks * pto_profile_sub_cores(profile);
}

static bool take_delay(char **word, const struct cli_options *options,
                       const struct pto_profile *profile, struct cli_schedule *schedule)
{
    int64_t rank, core, act, ps;

    if (!take_int(word[1], 0, options->ranks - 1, &rank) ||
        !take_int(word[2], 0, sub_cores(options, profile) - 1, &core) ||
        !take_int(word[3], 0, UINT32_MAX, &act) ||
        !take_int(word[4], 1, INT64_MAX / 4, &ps) || schedule->delays == MOST_DELAYS)
        return false;
    cli_schedule_delay(schedule, &(struct pto_delay){(int)rank, (unsigned)core, (uint32_t)act,
                                                     (uint64_t)ps});
    return true;
}

/* Cut a line into words; what stands behind # is a comment. */
static unsigned cut(char *line, char *word[MOST_WORDS])
{
    unsigned words = 0;
    char *rest = NULL;

    line[strcspn(line, "#")] = '\0';
    for (char *at = strtok_r(line, " \t\r", &rest); at; at = strtok_r(NULL, " \t\r", &rest)) {
        if (words == MOST_WORDS)
            return MOST_WORDS + 1;
        word[words++] = at;
    }
    return words;
}

static bool take_line(char *line, const struct cli_options *options,
                      const struct pto_profile *profile, struct cli_schedule *schedule)
{
    char *word[MOST_WORDS];
    unsigned words = cut(line, word);

    if (words == 0)
        return true;
    if (words == 3 && !strcmp(word[0], "slow"))
        return take_slow(word, options, schedule);
    return words == 5 && !strcmp(word[0], "delay") && take_delay(word, options, profile, schedule);
}

static enum pto_status complain(const char *path, uint32_t line, const char *what,
                                const char *hint, struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, path, line, line ? 1 : 0, "%s", what);

    pto_diag_hint(diags, diag, "%s", hint);
    return PTO_ECONFIG;
}

/* The next line, with whatever line end. */
static char *take_text(char **rest)
{
    char *line = strsep(rest, "\n");
    size_t length = line ? strlen(line) : 0;

    if (length && line[length - 1] == '\r')
        line[length - 1] = 0;
    return line;
}

/* The two lines at the top. */
static enum pto_status check_head(const struct cli_options *options,
                                  const struct cli_launch *launch, const char *first,
                                  const char *second, struct pto_diags *diags)
{
    char program[40];

    if (!first || strcmp(first, HEAD))
        return complain(options->schedule_path, 1, "this is no schedule",
                        "schedules begin with 'pto-schedule 1'; ptovm explore writes them",
                        diags);
    snprintf(program, sizeof program, "program %016" PRIx64, fits(options, launch));
    if (second && !strcmp(second, program))
        return PTO_OK;
    return complain(options->schedule_path, 2, "this schedule was made for another program",
                    "kernels, --profile, --ranks, --cores, --repeat and --join must be the same",
                    diags);
}

static enum pto_status read_text(const struct cli_options *options,
                                 const struct cli_launch *launch, char *text,
                                 struct cli_schedule *schedule, struct pto_diags *diags)
{
    char *rest = text, *first = take_text(&rest), *second = take_text(&rest), *line;

    PTO_TRY(check_head(options, launch, first, second, diags));
    for (uint32_t number = 3; (line = take_text(&rest)); number++)
        if (!take_line(line, options, &launch->profile, schedule))
            return complain(options->schedule_path, number, "not a line of a schedule",
                            "slow RANK FACTOR, or delay RANK SUB-CORE ACT PICOSECONDS, of this run",
                            diags);
    return PTO_OK;
}

enum pto_status cli_schedule_load(const struct cli_options *options,
                                  const struct cli_launch *launch, struct cli_schedule *schedule,
                                  struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why = "";
    enum pto_status status;

    memset(schedule, 0, sizeof *schedule);
    if (!options->schedule_path)
        return PTO_OK;
    if (pto_file_read(options->schedule_path, PTO_FILE_SETTINGS, &text, &why) != PTO_OK) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s",
                     options->schedule_path, why);
        pto_buf_free(&text);
        return PTO_ECONFIG;
    }
    pto_buf_text(&text);
    status = read_text(options, launch, (char *)text.data, schedule, diags);
    pto_buf_free(&text);
    return status;
}
