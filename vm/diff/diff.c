#include "diff/diff.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/wires.h"
#include "diff/rows.h"
#include "file.h"

/* ---- what a report says ---- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static uint64_t number_of(const json_t *object, const char *key)
{
    json_int_t number = json_integer_value(json_object_get(object, key));

    return number > 0 ? (uint64_t)number : 0;
}

static void read_run(const json_t *report, unsigned side, struct diff_rows *rows)
{
    static const char *const word[] = {"status", "profile", "topology"};
    static const char *const number[] = {"ranks", "cores", "repeat", "jitter"};
    const json_t *kernels = json_object_get(report, "kernels"), *kernel, *fault;
    size_t index;

    for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
        diff_word(rows, side, DIFF_RUN, word[i], text_of(report, word[i]));
    for (unsigned i = 0; i < sizeof number / sizeof *number; i++)
        diff_number(rows, side, DIFF_RUN, number[i], number_of(report, number[i]));
    json_array_foreach(kernels, index, kernel) {
        char name[32];

        snprintf(name, sizeof name, "kernel %zu", index);
        diff_word(rows, side, DIFF_RUN, name, text_of(kernel, "kernel"));
    }
    fault = json_object_get(report, "fault");
    if (fault)
        diff_word(rows, side, DIFF_RUN, "fault", text_of(fault, "message"));
}

/* A link or a rank that is not as the profile has it: there or not, by what summaries say of it. */
static void read_changes(const json_t *report, unsigned side, struct diff_rows *rows)
{
    const json_t *item;
    size_t index;

    json_array_foreach(json_object_get(report, "changes"), index, item) {
        struct pto_change change = {
            .kind = cli_change_kind(text_of(item, "kind")),
            .name = *text_of(item, "rank") ? text_of(item, "rank") : text_of(item, "link"),
            .factor = json_number_value(json_object_get(item, "factor")),
            .when = {number_of(item, "from_ps"), UINT64_MAX}};
        const json_t *end = json_object_get(item, "to_ps");
        const json_t *latency = json_object_get(item, "latency_factor");
        struct pto_buf text = {0};

        change.latency = latency ? json_number_value(latency) : change.factor;
        if (end)
            change.when.to_ps = number_of(item, "to_ps");
        cli_change_text(&change, &text);
        diff_word(rows, side, DIFF_RUN, pto_buf_text(&text), "yes");
        pto_buf_free(&text);
    }
}

static void read_pairs(const json_t *setup, const char *key, unsigned side, struct diff_rows *rows)
{
    const json_t *pair;
    size_t index;

    json_array_foreach(json_object_get(setup, key), index, pair) {
        struct pto_buf name = {0};

        pto_buf_printf(&name, "--%s %s", key, text_of(pair, "name"));
        diff_word(rows, side, DIFF_RUN, pto_buf_text(&name), text_of(pair, "value"));
        pto_buf_free(&name);
    }
}

static void read_setup(const json_t *report, unsigned side, struct diff_rows *rows)
{
    static const char *const word[][2] = {{"sync", "--sync"},
                                          {"topology_checksum", "checksum of the topology"},
                                          {"schedule_checksum", "checksum of the schedule"}};
    static const char *const on[][2] = {{"views_by_buffer", "--views buffer"},
                                        {"join", "--join"}};
    static const char *const pairs[] = {"define", "set", "in"};
    const json_t *setup = json_object_get(report, "setup");

    for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
        if (*text_of(setup, word[i][0]))
            diff_word(rows, side, DIFF_RUN, word[i][1], text_of(setup, word[i][0]));
    for (unsigned i = 0; i < sizeof on / sizeof *on; i++)
        if (json_is_true(json_object_get(setup, on[i][0])))
            diff_word(rows, side, DIFF_RUN, on[i][1], "yes");
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++)
        read_pairs(setup, pairs[i], side, rows);
}

static void read_profile(const json_t *report, unsigned side, struct diff_rows *rows)
{
    json_t *values = json_object_get(report, "profile_values"), *value;
    const char *key;

    json_object_foreach(values, key, value) {
        struct pto_buf name = {0};

        pto_buf_printf(&name, "profile %s", key);
        diff_word(rows, side, DIFF_RUN, pto_buf_text(&name), text_of(values, key));
        pto_buf_free(&name);
    }
}

static void read_pipes(const json_t *rank, unsigned side, struct diff_rows *rows)
{
    const json_t *pipe;
    size_t index;

    json_array_foreach(json_object_get(rank, "pipes"), index, pipe) {
        char name[32];

        snprintf(name, sizeof name, "%.8s %.8s", text_of(pipe, "core"), text_of(pipe, "pipe"));
        diff_number(rows, side, DIFF_BUSY, name, number_of(pipe, "busy_ps"));
        diff_number(rows, side, DIFF_WAIT, name, number_of(pipe, "wait_ps"));
    }
}

static void read_ranks(const json_t *report, unsigned side, struct diff_rows *rows)
{
    static const char *const count[] = {"scalar_instructions", "cube_macs", "gm_bytes"};
    const json_t *rank;
    size_t index;

    json_array_foreach(json_object_get(report, "per_rank"), index, rank) {
        char name[32];

        snprintf(name, sizeof name, "rank %zu", index);
        if (number_of(rank, "end_ps")) /* else it has not come to its end */
            diff_number(rows, side, DIFF_RANK, name, number_of(rank, "end_ps"));
        for (unsigned i = 0; i < sizeof count / sizeof *count; i++)
            diff_number(rows, side, DIFF_COUNT, count[i], number_of(rank, count[i]));
        read_pipes(rank, side, rows);
    }
    diff_number(rows, side, DIFF_COUNT, "tile_instructions",
                number_of(report, "tile_instructions"));
}

static void read_links(const json_t *report, unsigned side, struct diff_rows *rows)
{
    const json_t *link;
    size_t index;

    json_array_foreach(json_object_get(report, "links"), index, link) {
        char name[64];

        snprintf(name, sizeof name, "%llu to %llu", (unsigned long long)number_of(link, "from"),
                 (unsigned long long)number_of(link, "to"));
        diff_number(rows, side, DIFF_LINK, name, number_of(link, "bytes"));
    }
}

static void read_path(const json_t *report, unsigned side, struct diff_rows *rows)
{
    json_t *path = json_object_get(report, "critical_path"), *time;
    const json_t *line;
    const char *cause;
    size_t index;

    json_object_foreach(json_object_get(path, "causes"), cause, time)
        diff_number(rows, side, DIFF_CAUSE, cause, (uint64_t)json_integer_value(time));
    json_array_foreach(json_object_get(path, "lines"), index, line)
        diff_number(rows, side, DIFF_LINE, text_of(line, "name"), number_of(line, "time_ps"));
}

static void read_results(const json_t *report, unsigned side, struct diff_rows *rows)
{
    const json_t *item;
    size_t index;

    json_array_foreach(json_object_get(report, "regions"), index, item)
        diff_number(rows, side, DIFF_REGION, text_of(item, "name"), number_of(item, "total_ps"));
    json_array_foreach(json_object_get(report, "expectations"), index, item)
        diff_number(rows, side, DIFF_RESULT, text_of(item, "object"),
                    number_of(item, "mismatches"));
    json_array_foreach(json_object_get(report, "warnings"), index, item)
        diff_number(rows, side, DIFF_WARNING, text_of(item, "message"), 1);
}

/* A finding is the same if it is of one kind between the same instructions. */
static void read_findings(const json_t *report, unsigned side, struct diff_rows *rows)
{
    const json_t *finding, *access;
    size_t index, number;

    json_array_foreach(json_object_get(report, "findings"), index, finding) {
        struct pto_buf name = {0};

        pto_buf_printf(&name, "%s:", text_of(finding, "kind"));
        json_array_foreach(json_object_get(finding, "accesses"), number, access)
            pto_buf_printf(&name, "%s %s at %s:%llu", number ? "," : "",
                           text_of(access, "instruction"), text_of(access, "file"),
                           (unsigned long long)number_of(access, "line"));
        diff_number(rows, side, DIFF_FINDING, pto_buf_text(&name), 1);
        pto_buf_free(&name);
    }
}

/* ---- the whole ---- */

/* Has it what every report of a run has? */
static bool is_report(const json_t *report)
{
    static const char *const text[] = {"status", "profile", "topology"};
    static const char *const number[] = {"time_ps", "ranks", "cores", "repeat"};

    if (strcmp(text_of(report, "schema"), "pto-report/1") != 0)
        return false;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (!json_is_string(json_object_get(report, text[i])))
            return false;
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (!json_is_integer(json_object_get(report, number[i])))
            return false;
    return json_is_array(json_object_get(report, "per_rank"));
}

static json_t *load(const char *path, struct pto_diags *diags)
{
    struct pto_buf bytes = {0};
    const char *why = "";
    json_error_t error;
    json_t *report = NULL;

    if (pto_file_read(path, PTO_FILE_REPORT, &bytes, &why) != PTO_OK) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
    } else {
        report = json_loadb((const char *)bytes.data, bytes.size, 0, &error);
        if (!report)
            pto_diag_add(diags, PTO_ERROR, path, (uint32_t)error.line, (uint32_t)error.column,
                         "no JSON: %s", error.text);
    }
    pto_buf_free(&bytes);
    if (report && !is_report(report)) {
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' is no report of a run",
                                   path),
                      "ptovm run --json=FILE writes one");
        json_decref(report);
        report = NULL;
    }
    return report;
}

static void read_report(const json_t *report, unsigned side, bool paths, struct diff_rows *rows)
{
    read_run(report, side, rows);
    read_changes(report, side, rows);
    diff_number(rows, side, DIFF_TIME, "of the run", number_of(report, "time_ps"));
    read_ranks(report, side, rows);
    read_links(report, side, rows);
    if (paths)
        read_path(report, side, rows);
    read_results(report, side, rows);
    read_findings(report, side, rows);
}

static bool both_have(json_t *const report[2], const char *key)
{
    return json_object_get(report[0], key) && json_object_get(report[1], key);
}

enum exit_code diff_reports(const char *const path[2], struct pto_diags *diags,
                            struct pto_buf *text, struct pto_buf *json)
{
    struct diff_rows rows = {0};
    json_t *report[2];
    bool loaded, setups, paths;
    unsigned differences;

    json_set_alloc_funcs(pto_xmalloc, free);
    for (unsigned side = 0; side < 2; side++)
        report[side] = load(path[side], diags);
    loaded = report[0] && report[1];
    /* Reports of older builds do not say what the run was given. */
    setups = loaded && both_have(report, "setup");
    paths = loaded && both_have(report, "critical_path");
    for (unsigned side = 0; loaded && side < 2; side++) {
        if (setups) {
            read_setup(report[side], side, &rows);
            read_profile(report[side], side, &rows);
        }
        read_report(report[side], side, paths, &rows);
    }
    json_decref(report[0]);
    json_decref(report[1]);
    differences = loaded ? diff_settle(&rows) : 0;
    if (loaded) {
        diff_text(&rows, text);
        diff_json(&rows, json);
    }
    diff_free(&rows);
    if (!loaded)
        return EXIT_USAGE;
    return differences ? EXIT_PROGRAM : EXIT_DONE;
}
