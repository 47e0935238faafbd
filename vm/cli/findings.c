#include "cli/findings.h"

#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "place.h"
#include "tool/number.h"

/* ---- filters ---- */

static enum pto_status load_kinds(const char *list, struct cli_findings *findings,
                                  struct pto_diags *diags)
{
    const char *names[PTO_FINDING_KINDS];

    for (int i = 0; i < PTO_FINDING_KINDS; i++) {
        names[i] = pto_finding_name((enum pto_finding_kind)i);
        findings->kind[i] = !list;
    }
    while (list && *list != '\0') {
        size_t length = strcspn(list, ",");
        const char *name = pto_arena_strndup(&findings->arena, list, length);
        int kind = pto_finding_find(name);

        if (kind < 0) {
            struct pto_diag *diag =
                pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "unknown kind of finding '%s'", name);
            const char *best = pto_nearest(name, names, PTO_FINDING_KINDS);

            pto_diag_hint(diags, diag,
                          best ? "did you mean '%s'?" : "docs/check.md lists them, %s and others",
                          best ? best : names[0]);
            return PTO_ECONFIG;
        }
        findings->kind[kind] = true;
        list += length + (list[length] == ',' ? 1 : 0);
    }
    return PTO_OK;
}

static enum pto_status add_suppression(struct cli_findings *findings, char *line,
                                       const char *path, uint32_t number, struct pto_diags *diags)
{
    char *rest, *kind, *place, *colon;
    struct cli_suppression one = {0};

    line[strcspn(line, "#")] = '\0';
    kind = strtok_r(line, " \t\r", &rest);
    place = kind ? strtok_r(NULL, " \t\r", &rest) : NULL;
    if (!kind)
        return PTO_OK;
    if (!place || strtok_r(NULL, " \t\r", &rest) ||
        (strcmp(kind, "*") && pto_finding_find(kind) < 0)) {
        pto_diag_add(diags, PTO_ERROR, path, number, 1,
                     "a suppression is a kind of finding and FILE[:LINE], '*' for any");
        return PTO_ECONFIG;
    }
    one.kind = kind;
    one.file = place;
    colon = strrchr(place, ':');
    if (colon) {
        if (!tool_parse_line(colon + 1, &one.line)) {
            pto_diag_add(diags, PTO_ERROR, path, number, (unsigned)(colon + 2 - line),
                         "'%s' is not the number of a line: a place is FILE or FILE:LINE",
                         colon + 1);
            return PTO_ECONFIG;
        }
        *colon = '\0';
    }
    PTO_GROW(findings->suppression, findings->suppressions, findings->suppression_capacity);
    findings->suppression[findings->suppressions++] = one;
    return PTO_OK;
}

static enum pto_status load_suppressions(const char *path, struct cli_findings *findings,
                                         struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why = "";
    enum pto_status status = pto_file_read(path, PTO_FILE_SETTINGS, &text, &why);
    char *line;

    if (status != PTO_OK) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
        pto_buf_free(&text);
        return status;
    }
    line = pto_arena_strdup(&findings->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    for (uint32_t number = 1; line && status == PTO_OK; number++) {
        char *end = strchr(line, '\n');

        if (end)
            *end++ = '\0';
        status = add_suppression(findings, line, path, number, diags);
        line = end;
    }
    return status;
}

enum pto_status cli_findings_load(const struct cli_options *options,
                                  struct cli_findings *findings, struct pto_diags *diags)
{
    PTO_TRY(load_kinds(options->check_kind, findings, diags));
    if (!options->suppress_path)
        return PTO_OK;
    return load_suppressions(options->suppress_path, findings, diags);
}

/* ---- parties ---- */

const struct pto_pos *cli_access_pos(const struct pto_finding_access *access)
{
    return access->present ? pto_place(access->module, access->pos) : NULL;
}

const char *cli_access_file(const struct pto_finding_access *access)
{
    const struct pto_pos *pos = cli_access_pos(access);

    return pos ? access->module->file[pos->file] : NULL;
}

const char *cli_access_verb(const struct pto_finding_access *access)
{
    return access->atomic ? "combines" : access->write ? "writes" : "reads";
}

struct pto_finding_access cli_note_place(const struct pto_check_note *note)
{
    return (struct pto_finding_access){.present = true, .module = note->module, .pos = note->pos};
}

/* ---- the choice ---- */

/* Is `end` a path, or the last parts of it? */
static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), wanted = strlen(end);

    return length >= wanted && !strcmp(path + length - wanted, end) &&
           (length == wanted || *end == '/' || path[length - wanted - 1] == '/');
}

static bool is_at(const struct pto_finding_access *access, const struct cli_suppression *s)
{
    const char *file = cli_access_file(access);

    if (!strcmp(s->file, "*"))
        return true;
    return file && ends_with(file, s->file) &&
           (s->line == 0 || s->line == cli_access_pos(access)->line);
}

/* By the place that it is reported at: its other access may have part in another finding. */
static bool is_suppressed(const struct cli_findings *findings, const struct pto_finding *f)
{
    for (unsigned i = 0; i < findings->suppressions; i++) {
        const struct cli_suppression *s = &findings->suppression[i];

        if ((!strcmp(s->kind, "*") || !strcmp(s->kind, pto_finding_name(f->kind))) &&
            is_at(&f->access[1], s))
            return true;
    }
    return false;
}

static bool is_wanted(const struct cli_options *options, const struct cli_findings *findings,
                      const struct pto_finding *f)
{
    bool rank = options->check_rank < 0 || f->has_rank[options->check_rank];
    bool kernel = !options->check_kernel;

    for (int i = 0; i < 2; i++) {
        const struct pto_finding_access *access = &f->access[i];

        kernel = kernel || (access->present && access->kernel &&
                            !strcmp(access->kernel->name, options->check_kernel));
    }
    return rank && kernel && findings->kind[f->kind];
}

/* Choose from all findings: those that the filters leave and nothing suppresses. */
static void choose(const struct cli_options *options, struct cli_findings *findings,
                   const struct pto_finding *all, unsigned count, bool *chosen)
{
    for (unsigned i = 0; i < count; i++) {
        bool wanted = is_wanted(options, findings, &all[i]);
        bool suppressed = wanted && is_suppressed(findings, &all[i]);

        findings->suppressed += suppressed;
        chosen[i] = wanted && !suppressed;
    }
}

/* Those that lead, or those that do not; place[i]: where finding i is among the items. */
static void add_items(struct cli_findings *findings, const struct pto_finding *all, unsigned count,
                      const bool *chosen, const unsigned *leader, unsigned *place, bool leading)
{
    for (unsigned i = 0; i < count; i++) {
        if (!chosen[i] || (leader[i] == i) != leading)
            continue;
        place[i] = findings->count;
        findings->item[findings->count++] = (struct cli_finding){&all[i], place[leader[i]],
                                                                 &all[i].advice};
    }
}

void cli_findings_collect(const struct cli_options *options, struct cli_findings *findings)
{
    const struct pto_finding *all;
    unsigned count, *leader, *place;
    bool *chosen;

    count = pto_check_findings(findings->check, &all);
    findings->notes = pto_check_notes(findings->check, &findings->note);
    findings->coverages = pto_check_coverage(findings->check, &findings->coverage);
    findings->verbose = options->verbose;
    findings->item = pto_arena_array(&findings->arena, count, sizeof *findings->item);
    chosen = pto_arena_array(&findings->arena, count, sizeof *chosen);
    leader = pto_arena_array(&findings->arena, count, sizeof *leader);
    place = pto_arena_array(&findings->arena, count, sizeof *place);
    choose(options, findings, all, count, chosen);
    pto_check_lead(findings->check, chosen, leader);
    add_items(findings, all, count, chosen, leader, place, true);
    findings->leading = findings->count;
    add_items(findings, all, count, chosen, leader, place, false);
}

void cli_findings_free(struct cli_findings *findings)
{
    pto_check_free(findings->check);
    pto_vm_free(findings->again);
    free(findings->suppression);
    pto_arena_free(&findings->arena);
}

