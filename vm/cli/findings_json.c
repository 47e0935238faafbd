/* Findings and notes in the JSON report. */
#include "cli/findings.h"

static void place_json(const struct pto_finding_access *access, struct cli_json *json)
{
    const struct pto_pos *pos = cli_access_pos(access);

    cli_json_text(json, "file", cli_access_file(access));
    cli_json_uint(json, "line", pos ? pos->line : 0);
    cli_json_uint(json, "column", pos ? pos->column : 0);
}

static void access_json(const struct pto_finding_access *access, struct cli_json *json)
{
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "instruction", access->mnemonic);
    cli_json_text(json, "access", cli_access_verb(access));
    place_json(access, json);
    cli_json_int(json, "rank", access->rank);
    cli_json_text(json, "core", access->core);
    cli_json_text(json, "pipe", access->pipe);
    cli_json_uint(json, "time_ps", access->time_ps);
    cli_json_close(json, '}');
}

static void note_json(const struct pto_check_note *note, struct cli_json *json)
{
    struct pto_finding_access at = cli_note_place(note);

    cli_json_open(json, NULL, '{');
    cli_json_text(json, "kind", pto_note_name(note->kind));
    cli_json_text(json, "message", note->message);
    place_json(&at, json);
    cli_json_uint(json, "count", note->count);
    cli_json_uint(json, "waited_ps", note->waited_ps);
    cli_json_open(json, "lines", '[');
    for (unsigned i = 0; i < note->lines; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "file", note->line[i].file);
        cli_json_uint(json, "line", note->line[i].line);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

static void coverage_json(const struct cli_findings *findings, struct cli_json *json)
{
    cli_json_open(json, "coverage", '[');
    for (unsigned i = 0; i < findings->coverages; i++) {
        const struct pto_coverage *row = &findings->coverage[i];

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "instruction", row->mnemonic);
        place_json(&(struct pto_finding_access){
                       .present = true, .module = row->module, .pos = row->pos}, json);
        cli_json_uint(json, "times", row->times);
        cli_json_bool(json, "ordered", row->ordered);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

/* The words, and the same as lines to insert. */
static void advice_json(const struct pto_advice *advice, struct cli_json *json)
{
    cli_json_text(json, "advice", advice->text);
    cli_json_bool(json, "proved", advice->proved);
    cli_json_open(json, "edits", '[');
    for (unsigned i = 0; i < advice->edits; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "file", advice->edit[i].file);
        cli_json_uint(json, "line", advice->edit[i].line);
        cli_json_uint(json, "column", advice->edit[i].column);
        cli_json_text(json, "place", advice->edit[i].after ? "after" : "before");
        cli_json_text(json, "text", advice->edit[i].text);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void finding_json(const struct cli_findings *findings, unsigned index,
                         struct cli_json *json)
{
    const struct cli_finding *item = &findings->item[index];
    const struct pto_finding *f = item->finding;

    cli_json_open(json, NULL, '{');
    cli_json_text(json, "kind", pto_finding_name(f->kind));
    cli_json_text(json, "message", f->message);
    cli_json_text(json, "ordered", f->ordered);
    advice_json(item->advice, json);
    cli_json_text(json, "where", f->where);
    cli_json_uint(json, "offset", f->offset);
    cli_json_uint(json, "bytes", f->bytes);
    cli_json_uint(json, "count", f->count);
    cli_json_uint(json, "ranks", f->ranks);
    cli_json_uint(json, "cores", f->cores);
    if (item->follows != index)
        cli_json_uint(json, "follows", item->follows);
    cli_json_open(json, "accesses", '[');
    for (int a = 0; a < 2; a++)
        if (f->access[a].present)
            access_json(&f->access[a], json);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
}

void cli_findings_json(const struct cli_findings *findings, struct cli_json *json)
{
    cli_json_open(json, "findings", '[');
    for (unsigned i = 0; i < findings->count; i++)
        finding_json(findings, i, json);
    cli_json_close(json, ']');
    if (findings->remedy) {
        cli_json_open(json, "remedy", '{');
        advice_json(findings->remedy, json);
        cli_json_close(json, '}');
    }
    if (findings->coverages)
        coverage_json(findings, json);
    cli_json_open(json, "notes", '[');
    for (unsigned i = 0; i < findings->notes; i++)
        note_json(&findings->note[i], json);
    cli_json_close(json, ']');
}
