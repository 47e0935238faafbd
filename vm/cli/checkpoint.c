#include "cli/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/build.h"
#include "cli/schedule.h"
#include "cli/wires.h"
#include "data/hash.h"
#include "data/spool.h"

static const char MARK[] = "pto checkpoint 1\n";
enum { MARK_BYTES = sizeof MARK - 1 };

/* ---- what the run is ---------------------------------------------------------------------- */

static const char *const DIFFERENCE[CLI_IDS] = {
    [CLI_ID_BUILD] = "another build of ptovm",
    [CLI_ID_MACHINE] = ("another machine: ranks, cores, links, --jitter, --join, --repeat, "
                        "--schedule or --timing-only"),
    [CLI_ID_PROFILE] = "another profile",
    [CLI_ID_KERNELS] = "other kernels",
};

static void put_schedule(const struct cli_schedule *schedule, struct pto_buf *text)
{
    for (unsigned i = 0; i < schedule->slows; i++)
        pto_buf_printf(text, "slow %d %a\n", schedule->slow[i].rank, schedule->slow[i].factor);
    for (unsigned i = 0; i < schedule->delays; i++)
        pto_buf_printf(text, "delay %d %u %" PRIu32 " %" PRIu64 "\n", schedule->delay[i].rank,
                       schedule->delay[i].core, schedule->delay[i].act, schedule->delay[i].ps);
}

static uint64_t sum_of_machine(const struct cli_options *o, const struct cli_launch *launch)
{
    struct pto_buf text = {0};
    uint64_t sum;

    pto_buf_printf(&text, "%d %d %" PRIu32 " %" PRIu64 " %d %d %d\n%s\n%s\n", o->ranks,
                   o->cores, o->repeat, o->jitter, o->join, o->timing_only, o->views_by_buffer,
                   o->topology ? o->topology : "",
                   launch->topology_text ? launch->topology_text : "");
    cli_put_wires(o, &text);
    put_schedule(launch->schedule, &text);
    sum = cli_hash(CLI_HASH_OF_NOTHING, text.data, text.size);
    pto_buf_free(&text);
    return sum;
}

static void identify(struct cli_checkpoint *c)
{
    const struct pto_profile *profile = &c->launch->profile;

    c->id[CLI_ID_BUILD] = cli_build_hash();
    c->id[CLI_ID_MACHINE] = sum_of_machine(c->options, c->launch);
    c->id[CLI_ID_PROFILE] = cli_hash(CLI_HASH_OF_NOTHING, profile, sizeof *profile);
    c->id[CLI_ID_KERNELS] = cli_program_hash(c->options, c->launch);
}

/* ---- what it cannot hold ------------------------------------------------------------------ */

/* One behind the other there they would be no checkpoint. */
static enum pto_status refuse_stream(struct pto_diags *diags)
{
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "--checkpoint -: a checkpoint takes the place of the one before, "
                               "which standard output has none for"),
                  "name a file");
    return PTO_ECONFIG;
}

enum pto_status cli_checkpoint_check(const struct cli_options *options, struct pto_diags *diags)
{
    static const struct {
        enum cli_option_id id;
        const char *name;
    } refused[] = {
        {CLI_OPT_TRACE, "--trace"},
        {CLI_OPT_REPORT, "--report"},
        {CLI_OPT_CRITICAL, "--critical-path"},
    };
    const char *keeps = options->checkpoint_path ? "--checkpoint" : "--resume";
    const char *other = options->check ? "--check" : NULL;

    if (!options->checkpoint_path && !options->resume_path)
        return PTO_OK;
    if (options->checkpoint_path && !strcmp(options->checkpoint_path, "-"))
        return refuse_stream(diags);
    for (size_t i = 0; i < sizeof refused / sizeof *refused && !other; i++)
        if (options->given[refused[i].id])
            other = refused[i].name;
    if (!other)
        return PTO_OK;
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                               "%s and %s: a checkpoint holds the machine, not what %s has "
                               "gathered", keeps, other, other),
                  "leave one of them out");
    return PTO_ECONFIG;
}

/* ---- sums --------------------------------------------------------------------------------- */

/* Of bytes that come piece by piece: a word at a time, and in the end how many.  Without that, a
 * file with zeros behind its sum would have the sum 0. */
struct sum {
    uint64_t value, bytes;
    uint8_t rest[8];
    unsigned in_rest;
};

static void sum_word(struct sum *sum, uint64_t word)
{
    sum->value = (sum->value ^ word) * UINT64_C(0x100000001b3);
    sum->value ^= sum->value >> 29;
}

static void sum_add(struct sum *sum, const uint8_t *at, size_t size)
{
    uint64_t word;

    if (!size)
        return; /* `at` may be NULL */
    sum->bytes += size;
    for (; size && sum->in_rest; size--) {
        sum->rest[sum->in_rest++] = *at++;
        if (sum->in_rest < sizeof word)
            continue;
        memcpy(&word, sum->rest, sizeof word);
        sum_word(sum, word);
        sum->in_rest = 0;
    }
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(&word, at, sizeof word);
        sum_word(sum, word);
    }
    memcpy(sum->rest, at, size);
    sum->in_rest += (unsigned)size;
}

static uint64_t sum_end(struct sum *sum)
{
    for (unsigned i = 0; i < sum->in_rest; i++)
        sum_word(sum, sum->rest[i]);
    sum_word(sum, sum->bytes);
    return sum->value;
}

/* ---- writing ------------------------------------------------------------------------------ */

struct target {
    struct spool spool;
    struct sum sum;
};

static void put(void *context, const void *bytes, size_t size)
{
    struct target *target = context;

    sum_add(&target->sum, bytes, size);
    spool_put(&target->spool, bytes, size);
}

static void put_sized(struct target *target, const struct pto_buf *bytes)
{
    const uint64_t size = bytes->size;

    put(target, &size, sizeof size);
    put(target, bytes->data, bytes->size);
}

static enum pto_status write_file(struct cli_checkpoint *c, const char **why)
{
    struct target target = {0};
    const struct pto_sink sink = {put, &target};
    struct pto_buf regions = {0};
    uint64_t sum;
    enum pto_status status;

    PTO_TRY(spool_begin(&target.spool, c->options->checkpoint_path, false, why));
    put(&target, MARK, MARK_BYTES);
    put(&target, c->id, sizeof c->id);
    put_sized(&target, &c->printed);
    cli_regions_put(c->launch->regions, &regions);
    put_sized(&target, &regions);
    pto_vm_save(c->launch->vm, &sink);
    sum = sum_end(&target.sum);
    spool_put(&target.spool, (const uint8_t *)&sum, sizeof sum);
    status = spool_sync(&target.spool, why);
    if (status == PTO_OK)
        status = spool_end(&target.spool, c->options->checkpoint_path, why);
    spool_free(&target.spool);
    pto_buf_free(&regions);
    return status;
}

bool cli_checkpoint_write(struct cli_checkpoint *c, bool writes)
{
    c->problem = NULL;
    if (writes)
        return write_file(c, &c->problem) == PTO_OK;
    pto_vm_save(c->launch->vm, NULL);
    return true;
}

void cli_checkpoint_line(struct cli_checkpoint *c, const char *line)
{
    if (c->keeps)
        pto_buf_append(&c->printed, line, strlen(line));
}

void cli_checkpoint_free(struct cli_checkpoint *c)
{
    pto_buf_free(&c->printed);
}

/* ---- reading ------------------------------------------------------------------------------ */

struct image {
    const char *path;
    const uint8_t *bytes; /* of the whole file */
    size_t size, at, end; /* end: of all but the sum */
};

static enum pto_status complain(const char *path, const char *hint, struct pto_diags *diags,
                                const char *what)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--resume '%s': %s", path,
                                         what);

    if (hint)
        pto_diag_hint(diags, diag, "%s", hint);
    return PTO_ECONFIG;
}

/* The bytes of a file; they stay where they are if another takes its name. */
static const char *map_file(struct image *image)
{
    int fd = open(image->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    void *bytes = NULL;
    const char *why = NULL;

    if (fd < 0 || fstat(fd, &info) != 0)
        why = strerror(errno);
    else if (!S_ISREG(info.st_mode))
        why = "it is no file";
    else if (info.st_size == 0)
        why = "it is empty";
    else if ((bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) ==
             MAP_FAILED)
        why = strerror(errno);
    if (!why) {
        image->bytes = bytes;
        image->size = (size_t)info.st_size;
    }
    if (fd >= 0)
        close(fd);
    return why;
}

static bool take(struct image *image, void *value, size_t size)
{
    if (image->end - image->at < size)
        return false;
    memcpy(value, image->bytes + image->at, size);
    image->at += size;
    return true;
}

/* Bytes behind their number. */
static bool take_sized(struct image *image, const uint8_t **bytes, size_t *size)
{
    uint64_t given;

    if (!take(image, &given, sizeof given) || image->end - image->at < given)
        return false;
    *bytes = image->bytes + image->at;
    *size = (size_t)given;
    image->at += *size;
    return true;
}

static bool is_whole(struct image *image)
{
    struct sum sum = {0};
    uint64_t was;

    image->end = image->size - sizeof was;
    sum_add(&sum, image->bytes, image->end);
    memcpy(&was, image->bytes + image->end, sizeof was);
    return sum_end(&sum) == was;
}

static enum pto_status check_identity(const struct cli_checkpoint *c, struct image *image,
                                      struct pto_diags *diags)
{
    uint64_t was[CLI_IDS];

    take(image, was, sizeof was);
    for (int i = 0; i < CLI_IDS; i++)
        if (was[i] != c->id[i])
            return complain(image->path,
                            "a run goes on with what it began with; threads, limits and outputs "
                            "may be others",
                            diags,
                            pto_arena_printf(&diags->arena, "it was written with %s",
                                             DIFFERENCE[i]));
    return PTO_OK;
}

/* What was done cannot be taken back. */
static enum pto_status check_limits(const struct cli_checkpoint *c, const char *path,
                                    struct pto_diags *diags)
{
    const char *past = NULL;

    if (pto_vm_time(c->launch->vm) > c->options->max_time_ps)
        past = "it was written later than --max-time";
    else if (pto_vm_is_past_insns(c->launch->vm))
        past = "more had been executed when it was written than --max-insns allows";
    return past ? complain(path, "raise the limit, or begin again without --resume", diags, past)
                : PTO_OK;
}

static enum pto_status take_image(struct cli_checkpoint *c, struct image *image,
                                  struct pto_diags *diags)
{
    const uint8_t *printed, *regions;
    size_t printed_size, regions_size;

    if (image->size < MARK_BYTES || memcmp(image->bytes, MARK, MARK_BYTES) != 0)
        return complain(image->path, "ptovm --checkpoint writes them", diags,
                        "it is no checkpoint");
    if (image->size < MARK_BYTES + (CLI_IDS + 3) * sizeof(uint64_t) || !is_whole(image))
        return complain(image->path, "take another one, or begin again without --resume", diags,
                        "it is damaged");
    image->at = MARK_BYTES;
    PTO_TRY(check_identity(c, image, diags));
    take_sized(image, &printed, &printed_size);
    take_sized(image, &regions, &regions_size);
    pto_buf_append(&c->printed, printed, printed_size);
    cli_regions_take(c->launch->regions, regions, &c->launch->arena);
    PTO_TRY(pto_vm_load(c->launch->vm, image->bytes + image->at, image->end - image->at, diags));
    return check_limits(c, image->path, diags);
}

static enum pto_status resume(struct cli_checkpoint *c, struct pto_diags *diags)
{
    struct image image = {.path = c->options->resume_path};
    const char *why = map_file(&image);
    enum pto_status status;

    if (why)
        return complain(image.path, "without --resume the run begins at its beginning", diags,
                        pto_arena_printf(&diags->arena, "cannot read it: %s", why));
    status = take_image(c, &image, diags);
    munmap((void *)(uintptr_t)image.bytes, image.size);
    return status;
}

enum pto_status cli_checkpoint_begin(struct cli_checkpoint *c, const struct cli_options *options,
                                     struct cli_launch *launch, struct pto_diags *diags)
{
    c->options = options;
    c->launch = launch;
    c->keeps = options->checkpoint_path != NULL;
    if (!c->keeps && !options->resume_path)
        return PTO_OK;
    identify(c);
    pto_vm_remember_inputs(launch->vm);
    return options->resume_path ? resume(c, diags) : PTO_OK;
}
