/* Findings and notes as SARIF 2.1.0. */
#include "cli/findings.h"

#include "version.h"

static void message(const char *text, struct cli_json *json)
{
    cli_json_open(json, "message", '{');
    cli_json_text(json, "text", text);
    cli_json_close(json, '}');
}

static void location(const struct pto_finding_access *access, const char *text,
                     struct cli_json *json)
{
    const struct pto_pos *pos = cli_access_pos(access);

    if (!pos)
        return;
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "physicalLocation", '{');
    cli_json_open(json, "artifactLocation", '{');
    cli_json_text(json, "uri", cli_access_file(access));
    cli_json_close(json, '}');
    cli_json_open(json, "region", '{');
    cli_json_uint(json, "startLine", pos->line);
    if (pos->column > 0)
        cli_json_uint(json, "startColumn", pos->column);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    if (text)
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

static void finding_message(const struct pto_finding *f, struct cli_json *json)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", f->message);
    if (f->ordered)
        pto_buf_printf(&text, " Order: %s.", f->ordered);
    if (f->advice)
        pto_buf_printf(&text, " Advice: %s.", f->advice);
    message(pto_buf_text(&text), json);
    pto_buf_free(&text);
}

static void finding_result(const struct cli_findings *findings, unsigned index,
                           struct cli_json *json)
{
    const struct cli_finding *item = &findings->item[index];
    const struct pto_finding *f = item->finding;
    bool follows = item->follows != index;

    cli_json_open(json, NULL, '{');
    cli_json_text(json, "ruleId", pto_finding_name(f->kind));
    cli_json_uint(json, "ruleIndex", f->kind);
    cli_json_text(json, "level", "error");
    finding_message(f, json);
    cli_json_open(json, "locations", '[');
    location(&f->access[1], NULL, json);
    cli_json_close(json, ']');
    cli_json_open(json, "relatedLocations", '[');
    location(&f->access[0], "the other access", json);
    if (follows)
        location(&findings->item[item->follows].finding->access[1],
                 "the finding from which this one probably follows", json);
    cli_json_close(json, ']');
    cli_json_uint(json, "occurrenceCount", f->count);
    if (follows) {
        cli_json_open(json, "properties", '{');
        cli_json_uint(json, "follows", item->follows);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
}

static void note_result(const struct pto_check_note *note, struct cli_json *json)
{
    struct pto_finding_access at = cli_note_place(note);
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
    cli_json_text(&json, "version", pto_version());
    rules(&json);
    cli_json_close(&json, '}');
    cli_json_close(&json, '}');
    cli_json_open(&json, "results", '[');
    for (unsigned i = 0; i < findings->count; i++)
        finding_result(findings, i, &json);
    for (unsigned i = 0; i < findings->notes; i++)
        note_result(&findings->note[i], &json);
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
    cli_json_close(&json, ']');
    cli_json_close(&json, '}');
}
