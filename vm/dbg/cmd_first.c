/* The command first-difference: where did a result go wrong for good? */
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "dbg/position.h"
#include "dbg/run.h"
#include "dbg/writer.h"

/* ---- arguments ---- */

/* "rtol", "--atol": where its number goes; NULL: it is another word. */
static double *tolerance_of(struct wanted *wanted, const char *word, size_t length)
{
    if (length > 2 && !strncmp(word, "--", 2)) {
        word += 2;
        length -= 2;
    }
    if (dbg_is_name("rtol", word, length))
        return &wanted->rtol;
    return dbg_is_name("atol", word, length) ? &wanted->atol : NULL;
}

static bool read_tolerance(struct dbg *dbg, const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    if (*text && *end == '\0' && *value >= 0)
        return true;
    return dbg_error(dbg, "for instance rtol 1e-6", "'%s' is no tolerance", text);
}

/* Take the tolerances, and `here`, from the end of `args`; false: answered. */
static bool take_options(struct dbg *dbg, const char *args, size_t *length,
                         struct wanted *wanted)
{
    for (;;) {
        size_t before = *length, left;
        char *last = dbg_last_word(args, &before);
        size_t name = strcspn(last, "=");
        double *value = last[name] == '=' ? tolerance_of(wanted, last, name) : NULL;
        bool here = dbg_is_name("here", last, strlen(last)), good = true;

        left = before;
        if (here) {
            wanted->here = true;
        } else if (value) {
            good = read_tolerance(dbg, last + name + 1, value);
        } else {
            char *word = dbg_last_word(args, &left);

            value = tolerance_of(wanted, word, strlen(word));
            free(word);
            good = !value || read_tolerance(dbg, last, value);
        }
        free(last);
        if ((!value && !here) || !good)
            return good;
        *length = left;
    }
}

/* The only result of the kernels; NULL: answered. */
static const char *only_result(struct dbg *dbg)
{
    struct pto_object_info object;
    struct pto_buf names = {0};
    const char *name = NULL;
    unsigned count = 0;

    for (unsigned i = 0; pto_vm_object(dbg->launch.vm, 0, i, &object); i++)
        if (cli_is_result(object.kind)) {
            pto_buf_printf(&names, "%s%s", count++ > 0 ? ", " : "", object.name);
            name = object.name;
        }
    if (count != 1) {
        dbg_error(dbg, "write first-difference WINDOW FILE",
                  count > 1 ? "which of %s?" : "no kernel has an .out or .inout%s",
                  pto_buf_text(&names));
        name = NULL;
    }
    pto_buf_free(&names);
    return name;
}

/* What the run was to be held against that a core file is of. */
static bool take_expectations(struct dbg *dbg, struct wanted *wanted)
{
    const struct cli_options *o = dbg->options;

    if (o->expect.count == 0)
        return dbg_error(dbg, "for instance first-difference c right.npy rtol 1e-6",
                         "the first difference between what, and which file?");
    wanted->rtol = o->rtol;
    wanted->atol = o->atol;
    for (unsigned i = 0; i < o->expect.count; i++)
        if (!wanted_object(dbg, wanted, o->expect.item[i].name, o->expect.item[i].value))
            return false;
    return true;
}

static bool read_arguments(struct dbg *dbg, const char *args, struct wanted *wanted)
{
    size_t length = strlen(args);
    const char *only = NULL;
    char *file, *window;
    bool good;

    if (!take_options(dbg, args, &length, wanted))
        return false;
    if (length == 0 && wanted->rtol == 0 && wanted->atol == 0)
        return take_expectations(dbg, wanted);
    file = dbg_last_word(args, &length);
    while (length > 0 && strchr(" \t", args[length - 1]))
        length--;
    if (*file && length == 0)
        only = only_result(dbg);
    window = length > 0 ? pto_xstrndup(args, length) : only ? pto_xstrdup(only) : NULL;
    good = *file ? window && wanted_window(dbg, wanted, window, file)
                 : dbg_error(dbg, "for instance first-difference c right.npy", "which file?");
    free(window);
    free(file);
    return good;
}

/* ---- the search ---- */

/* The element whose last writer came first; of those that nobody wrote where there is no other. */
struct first {
    const struct wanted_part *part;
    const struct wanted_miss *miss;
    uint64_t wrong, never, elements;
};

static bool is_before(const struct wanted_miss *a, const struct wanted_miss *b)
{
    if ((a->event == 0) != (b->event == 0))
        return a->event > 0;
    return a->event < b->event;
}

static struct first find_first(const struct wanted *wanted)
{
    struct first f = {0};

    for (unsigned i = 0; i < wanted->parts; i++) {
        const struct wanted_part *part = &wanted->part[i];

        f.elements += part->count;
        f.wrong += part->misses;
        for (uint64_t m = 0; m < part->misses; m++) {
            f.never += part->miss[m].event == 0;
            if (!f.miss || is_before(&part->miss[m], f.miss)) {
                f.miss = &part->miss[m];
                f.part = part;
            }
        }
    }
    return f;
}

static void say_count(struct dbg *dbg, const struct first *f, bool here)
{
    const char *written = here ? "; the first that was written:\n"
                               : "; the first that could not become right any more:\n";

    if (!here && pto_vm_fault(dbg->launch.vm))
        dbg_say(dbg, "The program dies ('run' tells how): what it would have written later "
                     "counts as never written.\n");
    dbg_say(dbg, "%llu of %llu elements are wrong %s", (unsigned long long)f->wrong,
            (unsigned long long)f->elements, here ? "here" : "at the end");
    if (f->never > 0)
        dbg_say(dbg, ", %llu of them %s", (unsigned long long)f->never,
                here ? "are not written yet" : "were never written");
    dbg_say(dbg, "%s", f->miss->event > 0 ? written : "; one of them:\n");
}

/* Where the machine stands is the end of the run, or what is asked about. */
static bool tell_first(struct dbg *dbg, const struct first *f, bool here)
{
    uint64_t size = pto_dtype_size(f->part->dtype);
    struct dbg_span span = {f->miss->offset, f->miss->offset + size};
    const struct dbg_region region = {.place = f->part->place, .span = &span, .spans = 1};
    struct dbg_writer w;

    if (!writer_find(dbg, &region, UINT64_MAX, &w))
        return false;
    say_count(dbg, f, here);
    region_say(dbg, &region);
    dbg_say(dbg, ": ");
    wanted_say(dbg, f->part, f->miss);
    dbg_say(dbg, "\n");
    writer_tell(dbg, &region, &w);
    if (f->miss->event > 0)
        dbg_say(dbg, "'goto %llu' goes there.\n", (unsigned long long)f->miss->event);
    return true;
}

static bool search(struct dbg *dbg, struct wanted *wanted)
{
    struct first f;

    if (wanted->here && !dbg->started)
        return dbg_error(dbg, "start it with 'start' or 'run'", "the program is not running yet");
    if ((!wanted->here && !position_end(dbg)) || !wanted_compare(dbg, wanted))
        return false;
    f = find_first(wanted);
    if (f.wrong == 0) {
        dbg_say(dbg, "All %llu elements are right %s.\n", (unsigned long long)f.elements,
                wanted->here ? "here" : "at the end");
        return true;
    }
    if (!writer_find_wrong(dbg, wanted))
        return false;
    f = find_first(wanted);
    return tell_first(dbg, &f, wanted->here);
}

bool cmd_first_difference(struct dbg *dbg, const char *args)
{
    struct wanted wanted = {0};
    uint64_t here = dbg->events;
    bool over = run_is_over(dbg);
    bool good = read_arguments(dbg, args, &wanted) && search(dbg, &wanted);

    wanted_free(&wanted);
    /* whoever interrupts it has been told where the machine stands */
    if (!over && dbg->stop.kind != DBG_STOP_INTERRUPT && !dbg->quit)
        good = position_back(dbg, here) && good;
    return good;
}
