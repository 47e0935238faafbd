#include "cli/findings.h"

#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"
#include "file.h"
#include "place.h"

/* ---- filters ------------------------------------------------------------------------------ */

static enum pto_status load_kinds(const char *list, struct cli_findings *findings,
                                  struct pto_diags *diags)
{
    const char *names[PTO_FINDING_KINDS];
    for (int i = 0; i < PTO_FINDING_KINDS; i++) {
        names[i] = pto_finding_name((enum pto_finding_kind)i);
        findings->kind[i] = list == NULL;
    }
    while (list != NULL && *list != '\0') {
        size_t length = strcspn(list, ",");
        const char *name = pto_arena_strndup(&findings->arena, list, length);
        int kind = pto_finding_find(name);
        if (kind < 0) {
            struct pto_diag *diag =
                pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "unknown kind of finding '%s'", name);
            const char *best = pto_nearest(name, names, PTO_FINDING_KINDS);
            if (best != NULL)
                pto_diag_hint(diags, diag, "did you mean '%s'?", best);
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
    char *rest, *kind, *place;
    line[strcspn(line, "#")] = '\0';
    kind = strtok_r(line, " \t\r", &rest);
    place = kind != NULL ? strtok_r(NULL, " \t\r", &rest) : NULL;
    if (kind == NULL)
        return PTO_OK;
    if (place == NULL || strtok_r(NULL, " \t\r", &rest) != NULL ||
        (strcmp(kind, "*") != 0 && pto_finding_find(kind) < 0)) {
        pto_diag_add(diags, PTO_ERROR, path, number, 1,
                     "a suppression is a kind of finding and FILE[:LINE], '*' for any");
        return PTO_ECONFIG;
    }
    char *colon = strrchr(place, ':');
    struct cli_suppression one = {.kind = kind, .file = place};
    if (colon != NULL) {
        *colon = '\0';
        one.line = (uint32_t)strtoul(colon + 1, NULL, 10);
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
    enum pto_status status = pto_file_read(path, &text, &why);
    if (status != PTO_OK) {
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
        pto_buf_free(&text);
        return status;
    }
    char *line = pto_arena_strdup(&findings->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    for (uint32_t number = 1; line != NULL && status == PTO_OK; number++) {
        char *end = strchr(line, '\n');
        if (end != NULL)
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
    if (options->suppress_path == NULL)
        return PTO_OK;
    return load_suppressions(options->suppress_path, findings, diags);
}

static const struct pto_pos *position(const struct pto_finding_access *access)
{
    return access->present ? pto_place(access->module, access->pos) : NULL;
}

static const char *file_of(const struct pto_finding_access *access)
{
    const struct pto_pos *pos = position(access);
    return pos != NULL ? access->module->file[pos->file] : NULL;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static bool is_at(const struct pto_finding_access *access, const struct cli_suppression *s)
{
    const char *file = file_of(access);
    if (strcmp(s->file, "*") == 0)
        return true;
    return file != NULL && ends_with(file, s->file) &&
           (s->line == 0 || s->line == position(access)->line);
}

static bool is_suppressed(const struct cli_findings *findings, const struct pto_finding *f)
{
    for (unsigned i = 0; i < findings->suppressions; i++) {
        const struct cli_suppression *s = &findings->suppression[i];
        if ((strcmp(s->kind, "*") == 0 || strcmp(s->kind, pto_finding_name(f->kind)) == 0) &&
            (is_at(&f->access[0], s) || is_at(&f->access[1], s)))
            return true;
    }
    return false;
}

static bool is_wanted(const struct cli_options *options, const struct cli_findings *findings,
                      const struct pto_finding *f)
{
    bool rank = options->check_rank < 0, kernel = options->check_kernel == NULL;
    for (int i = 0; i < 2; i++) {
        const struct pto_finding_access *access = &f->access[i];
        rank = rank || (access->present && access->rank == options->check_rank);
        kernel = kernel || (access->present && access->kernel != NULL &&
                            strcmp(access->kernel->name, options->check_kernel) == 0);
    }
    return rank && kernel && findings->kind[f->kind];
}

/* Do the filters leave a finding from which it follows?  If not, it speaks for itself.  What
 * follows from a suppressed one is as well known as that. */
static bool has_root(const struct cli_options *options, const struct cli_findings *findings,
                     const struct pto_finding *f)
{
    for (unsigned i = 0; i < f->roots; i++)
        if (is_wanted(options, findings, f->root[i]))
            return true;
    return false;
}

void cli_findings_collect(const struct cli_options *options, struct cli_findings *findings)
{
    const struct pto_finding *all;
    pto_check_finish(findings->check);
    unsigned count = pto_check_findings(findings->check, &all);
    findings->notes = pto_check_notes(findings->check, &findings->note);
    findings->tell_notes = options->verbose;
    findings->item = pto_arena_array(&findings->arena, count, sizeof *findings->item);
    for (unsigned i = 0; i < count; i++) {
        if (!is_wanted(options, findings, &all[i]))
            continue;
        if (is_suppressed(findings, &all[i]))
            findings->suppressed++;
        else if (!options->verbose && has_root(options, findings, &all[i]))
            findings->held_back++;
        else
            findings->item[findings->count++] = &all[i];
    }
}

void cli_findings_free(struct cli_findings *findings)
{
    pto_check_free(findings->check);
    free(findings->suppression);
    pto_arena_free(&findings->arena);
}

/* ---- text --------------------------------------------------------------------------------- */

static const char *verb(const struct pto_finding_access *access)
{
    return access->atomic ? "combines" : access->write ? "writes" : "reads";
}

/* "rank 0, aiv0.1, pipe V, at 12.345 us" */
static void party_text(const struct pto_finding_access *access, struct pto_buf *out)
{
    char time[CLI_TIME_BYTES];
    pto_buf_printf(out, "rank %d", access->rank);
    if (access->core != NULL)
        pto_buf_printf(out, ", %s", access->core);
    if (access->pipe != NULL)
        pto_buf_printf(out, ", pipe %s", access->pipe);
    if (access->time_ps > 0)
        pto_buf_printf(out, ", at %s", cli_time_text(access->time_ps, time));
}

static void head(const struct pto_finding *f, bool colour, struct pto_lines *lines,
                 struct pto_buf *out)
{
    const struct pto_pos *pos = position(&f->access[1]);
    if (pos != NULL)
        pto_buf_printf(out, "%s:%u:%u: ", file_of(&f->access[1]), pos->line, pos->column);
    pto_buf_printf(out, "%sfinding:%s %s [%s]\n", colour ? "\033[1;31m" : "",
                   colour ? "\033[0m" : "", f->message, pto_finding_name(f->kind));
    cli_place_text(f->access[1].module, f->access[1].pos, lines, out);
}

static void finding_text(const struct pto_finding *f, bool colour, struct pto_lines *lines,
                         struct pto_buf *out)
{
    const struct pto_pos *pos = position(&f->access[0]);
    head(f, colour, lines, out);
    pto_buf_printf(out, "  here: %s", f->bytes > 0 ? verb(&f->access[1]) : "on");
    if (f->bytes > 0)
        pto_buf_printf(out, " bytes %llu to %llu of %s on", (unsigned long long)f->offset,
                       (unsigned long long)(f->offset + f->bytes - 1), f->where);
    pto_buf_printf(out, " ");
    party_text(&f->access[1], out);
    pto_buf_printf(out, "\n");
    if (f->access[0].present) {
        pto_buf_printf(out, "  %s:%u:%u: ", file_of(&f->access[0]) ? file_of(&f->access[0]) : "?",
                       pos != NULL ? pos->line : 0, pos != NULL ? pos->column : 0);
        pto_buf_printf(out, "%s %s on ", f->access[0].mnemonic,
                       f->bytes > 0 ? verb(&f->access[0]) : "is");
        party_text(&f->access[0], out);
        pto_buf_printf(out, "\n");
        cli_place_text(f->access[0].module, f->access[0].pos, lines, out);
    }
    if (f->ordered != NULL)
        pto_buf_printf(out, "  order: %s\n", f->ordered);
    if (f->advice != NULL)
        pto_buf_printf(out, "  advice: %s\n", f->advice);
    if (f->count > 1)
        pto_buf_printf(out, "  seen %llu times, on %u sub-core%s of %u rank%s\n",
                       (unsigned long long)f->count, f->cores, f->cores == 1 ? "" : "s", f->ranks,
                       f->ranks == 1 ? "" : "s");
}

/* Where a note belongs, in the form of an access. */
static struct pto_finding_access place_of(const struct pto_check_note *note)
{
    return (struct pto_finding_access){.present = true, .module = note->module, .pos = note->pos};
}

static void note_text(const struct pto_check_note *note, struct pto_lines *lines,
                      struct pto_buf *out)
{
    struct pto_finding_access at = place_of(note);
    const struct pto_pos *pos = position(&at);
    if (pos != NULL)
        pto_buf_printf(out, "%s:%u:%u: ", file_of(&at), pos->line, pos->column);
    pto_buf_printf(out, "note: %s [%s]", note->message, pto_note_name(note->kind));
    if (note->kind == PTO_NOTE_REDUNDANT)
        pto_buf_printf(out, " (executed %llu times)", (unsigned long long)note->count);
    pto_buf_printf(out, "\n");
    cli_place_text(note->module, note->pos, lines, out);
}

void cli_findings_text(const struct cli_findings *findings, bool colour, struct pto_buf *out)
{
    struct pto_lines lines = {0};
    for (unsigned i = 0; i < findings->count; i++)
        finding_text(findings->item[i], colour, &lines, out);
    for (unsigned i = 0; findings->tell_notes && i < findings->notes; i++)
        note_text(&findings->note[i], &lines, out);
    pto_lines_free(&lines);
    if (findings->held_back > 0)
        pto_buf_printf(out, "note: %u finding%s that probably follow%s from these; -v shows all\n",
                       findings->held_back, findings->held_back == 1 ? "" : "s",
                       findings->held_back == 1 ? "s" : "");
    if (findings->suppressed > 0)
        pto_buf_printf(out, "note: %u finding%s suppressed\n", findings->suppressed,
                       findings->suppressed == 1 ? "" : "s");
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void access_json(const struct pto_finding_access *access, struct cli_json *json)
{
    const struct pto_pos *pos = position(access);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "instruction", access->mnemonic);
    cli_json_text(json, "access", access->present ? verb(access) : NULL);
    cli_json_text(json, "file", file_of(access));
    cli_json_uint(json, "line", pos != NULL ? pos->line : 0);
    cli_json_uint(json, "column", pos != NULL ? pos->column : 0);
    cli_json_int(json, "rank", access->rank);
    cli_json_text(json, "core", access->core);
    cli_json_text(json, "pipe", access->pipe);
    cli_json_uint(json, "time_ps", access->time_ps);
    cli_json_close(json, '}');
}

static void note_json(const struct pto_check_note *note, struct cli_json *json)
{
    struct pto_finding_access at = place_of(note);
    const struct pto_pos *pos = position(&at);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "kind", pto_note_name(note->kind));
    cli_json_text(json, "message", note->message);
    cli_json_text(json, "file", file_of(&at));
    cli_json_uint(json, "line", pos != NULL ? pos->line : 0);
    cli_json_uint(json, "column", pos != NULL ? pos->column : 0);
    cli_json_uint(json, "count", note->count);
    cli_json_uint(json, "waited_ps", note->waited_ps);
    cli_json_close(json, '}');
}

void cli_findings_json(const struct cli_findings *findings, struct cli_json *json)
{
    cli_json_open(json, "findings", '[');
    for (unsigned i = 0; i < findings->count; i++) {
        const struct pto_finding *f = findings->item[i];
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "kind", pto_finding_name(f->kind));
        cli_json_text(json, "message", f->message);
        cli_json_text(json, "ordered", f->ordered);
        cli_json_text(json, "advice", f->advice);
        cli_json_text(json, "where", f->where);
        cli_json_uint(json, "offset", f->offset);
        cli_json_uint(json, "bytes", f->bytes);
        cli_json_uint(json, "count", f->count);
        cli_json_uint(json, "ranks", f->ranks);
        cli_json_uint(json, "cores", f->cores);
        cli_json_open(json, "accesses", '[');
        for (int a = 0; a < 2; a++)
            if (f->access[a].present)
                access_json(&f->access[a], json);
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_open(json, "notes", '[');
    for (unsigned i = 0; i < findings->notes; i++)
        note_json(&findings->note[i], json);
    cli_json_close(json, ']');
}

/* ---- SARIF -------------------------------------------------------------------------------- */

static void message(const char *text, struct cli_json *json)
{
    cli_json_open(json, "message", '{');
    cli_json_text(json, "text", text);
    cli_json_close(json, '}');
}

static void location(const struct pto_finding_access *access, const char *text,
                     struct cli_json *json)
{
    const struct pto_pos *pos = position(access);
    if (pos == NULL)
        return;
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "physicalLocation", '{');
    cli_json_open(json, "artifactLocation", '{');
    cli_json_text(json, "uri", file_of(access));
    cli_json_close(json, '}');
    cli_json_open(json, "region", '{');
    cli_json_uint(json, "startLine", pos->line);
    if (pos->column > 0)
        cli_json_uint(json, "startColumn", pos->column);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    if (text != NULL)
        message(text, json);
    cli_json_close(json, '}');
}

static void rule(const char *name, const char *meaning, struct cli_json *json)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "id", name);
    cli_json_open(json, "shortDescription", '{');
    cli_json_text(json, "text", meaning);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

/* The kinds of findings, then those of notes. */
static void rules(struct cli_json *json)
{
    cli_json_open(json, "rules", '[');
    for (int i = 0; i < PTO_FINDING_KINDS; i++)
        rule(pto_finding_name((enum pto_finding_kind)i),
             pto_finding_meaning((enum pto_finding_kind)i), json);
    for (int i = 0; i < PTO_NOTE_KINDS; i++)
        rule(pto_note_name((enum pto_note_kind)i), pto_note_meaning((enum pto_note_kind)i), json);
    cli_json_close(json, ']');
}

static void result(const struct pto_finding *f, struct cli_json *json)
{
    struct pto_buf text = {0};
    pto_buf_printf(&text, "%s.", f->message);
    if (f->ordered != NULL)
        pto_buf_printf(&text, " Order: %s.", f->ordered);
    if (f->advice != NULL)
        pto_buf_printf(&text, " Advice: %s.", f->advice);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "ruleId", pto_finding_name(f->kind));
    cli_json_uint(json, "ruleIndex", f->kind);
    cli_json_text(json, "level", "error");
    message(pto_buf_text(&text), json);
    cli_json_open(json, "locations", '[');
    location(&f->access[1], NULL, json);
    cli_json_close(json, ']');
    cli_json_open(json, "relatedLocations", '[');
    location(&f->access[0], "the other access", json);
    cli_json_close(json, ']');
    cli_json_uint(json, "occurrenceCount", f->count);
    cli_json_close(json, '}');
    pto_buf_free(&text);
}

static void note_result(const struct pto_check_note *note, struct cli_json *json)
{
    struct pto_finding_access at = place_of(note);
    struct pto_buf text = {0};
    pto_buf_printf(&text, "%s.", note->message);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "ruleId", pto_note_name(note->kind));
    cli_json_uint(json, "ruleIndex", PTO_FINDING_KINDS + (unsigned)note->kind);
    cli_json_text(json, "level", "note");
    message(pto_buf_text(&text), json);
    cli_json_open(json, "locations", '[');
    location(&at, NULL, json);
    cli_json_close(json, ']');
    cli_json_uint(json, "occurrenceCount", note->count);
    cli_json_open(json, "properties", '{');
    cli_json_uint(json, "waited_ps", note->waited_ps);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    pto_buf_free(&text);
}

void cli_findings_sarif(const struct cli_findings *findings, struct pto_buf *out)
{
    struct cli_json json = {.out = out};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cli_json_text(&json, "version", "2.1.0");
    cli_json_open(&json, "runs", '[');
    cli_json_open(&json, NULL, '{');
    cli_json_open(&json, "tool", '{');
    cli_json_open(&json, "driver", '{');
    cli_json_text(&json, "name", "ptovm");
    cli_json_text(&json, "version", CLI_VERSION_TEXT);
    rules(&json);
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
    cli_json_open(&json, "results", '[');
    for (unsigned i = 0; i < findings->count; i++)
        result(findings->item[i], &json);
    for (unsigned i = 0; i < findings->notes; i++)
        note_result(&findings->note[i], &json);
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
}
