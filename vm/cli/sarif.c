#include "cli/sarif.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"
#include "place.h"
#include "version.h"

/* Ends of a run that are results beside those of the checker: without one, a deadlock would look
 * like a clean run. */
static const struct {
    const char *name, *meaning;
} END[] = {
    {"fault", "an instruction could not be carried out"},
    {"deadlock", "nothing can run any more, and not everybody has ended"},
    {"limit", "the run came to a limit of simulated time or instructions"},
    {"error", "the run ended early"},
};
enum { ENDS = sizeof END / sizeof *END, END_RULE = PTO_FINDING_KINDS + (int)PTO_NOTE_KINDS };

struct sarif {
    struct cli_json json;
    struct pto_lines lines;
    uint64_t *print; /* fingerprints so far */
    unsigned prints, print_capacity;
};

/* ---- fingerprints ---- */

/* FNV-1a (Fowler, Noll, Vo), with the end of the text. */
static uint64_t hash_text(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i <= length; i++)
        hash = (hash ^ (i < length ? (uint8_t)text[i] : 0)) * UINT64_C(0x100000001b3);
    return hash;
}

/* A line counts by its text, so that a finding is recognised when lines before it come or go. */
static uint64_t hash_line(struct sarif *sarif, uint64_t hash, const char *file,
                          const struct pto_pos *pos)
{
    size_t length = 0;
    const char *line = pos ? pto_lines_get(&sarif->lines, file, pos->line, &length) : NULL;

    if (!line)
        return hash_text(hash, "", 0);
    for (; length && isspace((uint8_t)*line); length--)
        line++;
    while (length && isspace((uint8_t)line[length - 1]))
        length--;
    return hash_text(hash, line, length);
}

/* What is alike in everything else is told apart by a number. */
static void fingerprint(struct sarif *sarif, uint64_t hash)
{
    char text[40];
    unsigned number = 1;

    for (unsigned i = 0; i < sarif->prints; i++)
        number += sarif->print[i] == hash;
    PTO_GROW(sarif->print, sarif->prints, sarif->print_capacity);
    sarif->print[sarif->prints++] = hash;
    snprintf(text, sizeof text, "%016llx:%u", (unsigned long long)hash, number);
    cli_json_open(&sarif->json, "partialFingerprints", '{');
    cli_json_text(&sarif->json, "primaryLocationLineHash", text);
    cli_json_close(&sarif->json, '}');
}

static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);

static uint64_t hash_finding(struct sarif *sarif, const struct pto_finding *f)
{
    const char *name = pto_finding_name(f->kind);
    uint64_t hash = hash_text(HASH_START, name, strlen(name));

    for (int i = 0; i < 2; i++) {
        const struct pto_finding_access *access = &f->access[i];

        if (!access->present)
            continue;
        hash = hash_line(sarif, hash, cli_access_file(access), cli_access_pos(access));
        hash = hash_text(hash, access->mnemonic, strlen(access->mnemonic));
    }
    return hash;
}

/* ---- parts ---- */

static void message(struct sarif *sarif, const char *text)
{
    cli_json_open(&sarif->json, "message", '{');
    cli_json_text(&sarif->json, "text", text);
    cli_json_close(&sarif->json, '}');
}

/* A path as a URI: RFC 3986. */
static void uri(struct sarif *sarif, const char *path)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s", *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (isalnum((uint8_t)*path) || strchr("/-._~", *path))
            pto_buf_byte(&text, (uint8_t)*path);
        else
            pto_buf_printf(&text, "%%%02X", (uint8_t)*path);
    cli_json_open(&sarif->json, "artifactLocation", '{');
    cli_json_text(&sarif->json, "uri", pto_buf_text(&text));
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&text);
}

static void location(struct sarif *sarif, const char *file, uint32_t line, uint32_t column,
                     const char *text)
{
    struct cli_json *json = &sarif->json;

    cli_json_open(json, NULL, '{');
    cli_json_open(json, "physicalLocation", '{');
    uri(sarif, file);
    if (line > 0) {
        cli_json_open(json, "region", '{');
        cli_json_uint(json, "startLine", line);
        if (column > 0)
            cli_json_uint(json, "startColumn", column);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
    if (text)
        message(sarif, text);
    cli_json_close(json, '}');
}

static void access_location(struct sarif *sarif, const struct pto_finding_access *access,
                            const char *text)
{
    const struct pto_pos *pos = cli_access_pos(access);

    if (pos)
        location(sarif, cli_access_file(access), pos->line, pos->column, text);
}

static void rule(struct sarif *sarif, const char *name, const char *meaning)
{
    cli_json_open(&sarif->json, NULL, '{');
    cli_json_text(&sarif->json, "id", name);
    cli_json_open(&sarif->json, "shortDescription", '{');
    cli_json_text(&sarif->json, "text", meaning);
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
}

/* The kinds of findings, then those of notes, then the ends. */
static void rules(struct sarif *sarif)
{
    cli_json_open(&sarif->json, "rules", '[');
    for (int i = 0; i < PTO_FINDING_KINDS; i++)
        rule(sarif, pto_finding_name((enum pto_finding_kind)i),
             pto_finding_meaning((enum pto_finding_kind)i));
    for (int i = 0; i < PTO_NOTE_KINDS; i++)
        rule(sarif, pto_note_name((enum pto_note_kind)i),
             pto_note_meaning((enum pto_note_kind)i));
    for (int i = 0; i < ENDS; i++)
        rule(sarif, END[i].name, END[i].meaning);
    cli_json_close(&sarif->json, ']');
}

static void tool(struct sarif *sarif)
{
    cli_json_open(&sarif->json, "tool", '{');
    cli_json_open(&sarif->json, "driver", '{');
    cli_json_text(&sarif->json, "name", "ptovm");
    cli_json_text(&sarif->json, "version", pto_version());
    rules(sarif);
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
}

/* ---- results ---- */

static void begin_result(struct sarif *sarif, const char *id, unsigned index, const char *level)
{
    cli_json_open(&sarif->json, NULL, '{');
    cli_json_text(&sarif->json, "ruleId", id);
    cli_json_uint(&sarif->json, "ruleIndex", index);
    cli_json_text(&sarif->json, "level", level);
}

static void finding_message(struct sarif *sarif, const struct pto_finding *f,
                            const struct pto_advice *advice)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", f->message);
    if (f->ordered)
        pto_buf_printf(&text, " Order: %s.", f->ordered);
    if (advice->text)
        pto_buf_printf(&text, " Advice: %s.", advice->text);
    message(sarif, pto_buf_text(&text));
    pto_buf_free(&text);
}

/* Does a statement go on behind this line? */
static bool continues(struct sarif *sarif, const char *file, uint32_t line)
{
    size_t length;
    const char *text = pto_lines_get(&sarif->lines, file, line, &length);

    return text && length > 0 && text[length - 1] == '\\';
}

/* Nothing is deleted: the region is the empty one before the line. */
static void replacement(struct sarif *sarif, const struct pto_edit *edit)
{
    struct cli_json *json = &sarif->json;
    struct pto_buf text = {0};
    uint32_t line = edit->line;

    while (edit->after && continues(sarif, edit->file, line))
        line++;
    line += edit->after;
    for (const char *part = edit->text; part; part = strchr(part, '\n')) {
        part += *part == '\n';
        pto_buf_printf(&text, "%*s%.*s\n", (int)edit->column - 1, "", (int)strcspn(part, "\n"),
                       part);
    }
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "deletedRegion", '{');
    cli_json_uint(json, "startLine", line);
    cli_json_uint(json, "startColumn", 1);
    cli_json_uint(json, "endLine", line);
    cli_json_uint(json, "endColumn", 1);
    cli_json_close(json, '}');
    cli_json_open(json, "insertedContent", '{');
    cli_json_text(json, "text", pto_buf_text(&text));
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    pto_buf_free(&text);
}

/* The advice as one fix, whose edits of one file stand together. */
static void fixes(struct sarif *sarif, const struct pto_advice *advice)
{
    struct cli_json *json = &sarif->json;

    if (!advice->edits)
        return;
    cli_json_open(json, "fixes", '[');
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "description", '{');
    cli_json_text(json, "text", advice->text);
    cli_json_close(json, '}');
    cli_json_open(json, "artifactChanges", '[');
    for (unsigned i = 0; i < advice->edits;) {
        const char *file = advice->edit[i].file;

        cli_json_open(json, NULL, '{');
        uri(sarif, file);
        cli_json_open(json, "replacements", '[');
        for (; i < advice->edits && !strcmp(advice->edit[i].file, file); i++)
            replacement(sarif, &advice->edit[i]);
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
}

static void finding_result(struct sarif *sarif, const struct cli_findings *findings,
                           unsigned index)
{
    const struct cli_finding *item = &findings->item[index];
    const struct pto_finding *f = item->finding;
    bool follows = item->follows != index;

    begin_result(sarif, pto_finding_name(f->kind), f->kind, "error");
    finding_message(sarif, f, item->advice);
    cli_json_open(&sarif->json, "locations", '[');
    access_location(sarif, &f->access[1], NULL);
    cli_json_close(&sarif->json, ']');
    cli_json_open(&sarif->json, "relatedLocations", '[');
    access_location(sarif, &f->access[0], "the other access");
    if (follows)
        access_location(sarif, &findings->item[item->follows].finding->access[1],
                        "the finding from which this one probably follows");
    cli_json_close(&sarif->json, ']');
    fixes(sarif, item->advice);
    fingerprint(sarif, hash_finding(sarif, f));
    cli_json_uint(&sarif->json, "occurrenceCount", f->count);
    if (follows) {
        cli_json_open(&sarif->json, "properties", '{');
        cli_json_uint(&sarif->json, "follows", item->follows);
        cli_json_close(&sarif->json, '}');
    }
    cli_json_close(&sarif->json, '}');
}

static void note_result(struct sarif *sarif, const struct pto_check_note *note)
{
    struct pto_finding_access at = cli_note_place(note);
    const char *name = pto_note_name(note->kind);
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", note->message);
    begin_result(sarif, name, PTO_FINDING_KINDS + (unsigned)note->kind, "note");
    message(sarif, pto_buf_text(&text));
    cli_json_open(&sarif->json, "locations", '[');
    access_location(sarif, &at, NULL);
    cli_json_close(&sarif->json, ']');
    fingerprint(sarif, hash_line(sarif, hash_text(HASH_START, name, strlen(name)),
                                 cli_access_file(&at), cli_access_pos(&at)));
    cli_json_uint(&sarif->json, "occurrenceCount", note->count);
    cli_json_open(&sarif->json, "properties", '{');
    cli_json_uint(&sarif->json, "waited_ps", note->waited_ps);
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&text);
}

static void fault_message(struct sarif *sarif, const struct pto_fault *fault)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", fault->message);
    if (fault->hint)
        pto_buf_printf(&text, " Hint: %s.", fault->hint);
    if (fault->details)
        pto_buf_printf(&text, "\n%s", fault->details);
    message(sarif, pto_buf_text(&text));
    pto_buf_free(&text);
}

/* The fault, deadlock or limit that ended the run; what was left behind is a finding already. */
static void end_result(struct sarif *sarif, const struct cli_findings *findings,
                       const struct pto_fault *fault)
{
    const struct pto_pos *pos = fault ? pto_place(fault->module, fault->pos) : NULL;
    const char *file = pos ? fault->module->file[pos->file] : NULL;
    unsigned end = 0;

    if (!fault || fault->mnemonic)
        return;
    while (end < ENDS - 1 && strcmp(END[end].name, cli_fault_kind(fault)))
        end++;
    begin_result(sarif, END[end].name, END_RULE + end, "error");
    fault_message(sarif, fault);
    cli_json_open(&sarif->json, "locations", '[');
    if (pos)
        location(sarif, file, pos->line, pos->column, NULL);
    cli_json_close(&sarif->json, ']');
    if (findings->remedy)
        fixes(sarif, findings->remedy);
    fingerprint(sarif, hash_line(sarif,
                                 hash_text(HASH_START, END[end].name, strlen(END[end].name)),
                                 file, pos));
    cli_json_close(&sarif->json, '}');
}

static void results(struct sarif *sarif, const struct cli_findings *findings,
                    const struct pto_fault *fault)
{
    cli_json_open(&sarif->json, "results", '[');
    end_result(sarif, findings, fault);
    for (unsigned i = 0; i < findings->count; i++)
        finding_result(sarif, findings, i);
    for (unsigned i = 0; i < findings->notes; i++)
        note_result(sarif, &findings->note[i]);
    cli_json_close(&sarif->json, ']');
}

/* ---- how it ended ---- */

static void notification(struct sarif *sarif, const struct pto_diag *diag)
{
    cli_json_open(&sarif->json, NULL, '{');
    message(sarif, diag->message);
    cli_json_text(&sarif->json, "level", diag->severity == PTO_ERROR ? "error" : "warning");
    if (diag->file) {
        cli_json_open(&sarif->json, "locations", '[');
        location(sarif, diag->file, diag->line, diag->column, NULL);
        cli_json_close(&sarif->json, ']');
    }
    cli_json_close(&sarif->json, '}');
}

/* Successful: the kernels ran to their end, so nothing is missing among the results. */
static void invocation(struct sarif *sarif, struct pto_vm *vm, const struct pto_diags *diags,
                       const struct cli_outcome *outcome)
{
    struct cli_json *json = &sarif->json;
    const struct pto_fault *fault = vm ? pto_vm_fault(vm) : NULL;
    bool ended = vm && pto_vm_finished(vm) && (!fault || fault->mnemonic);

    cli_json_open(json, "invocations", '[');
    cli_json_open(json, NULL, '{');
    cli_json_bool(json, "executionSuccessful", ended);
    cli_json_int(json, "exitCode", outcome->exit_code);
    cli_json_text(json, "exitCodeDescription", outcome->status);
    cli_json_open(json, "toolConfigurationNotifications", '[');
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        if (diag->severity != PTO_NOTE)
            notification(sarif, diag);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
}

void cli_sarif(const struct cli_findings *findings, struct pto_vm *vm,
               const struct pto_diags *diags, const struct cli_outcome *outcome,
               struct pto_buf *out)
{
    struct sarif sarif = {.json = {.out = out}};
    struct cli_json *json = &sarif.json;

    cli_json_open(json, NULL, '{');
    cli_json_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cli_json_text(json, "version", "2.1.0");
    cli_json_open(json, "runs", '[');
    cli_json_open(json, NULL, '{');
    tool(&sarif);
    invocation(&sarif, vm, diags, outcome);
    cli_json_text(json, "columnKind", "unicodeCodePoints");
    results(&sarif, findings, vm ? pto_vm_fault(vm) : NULL);
    cli_json_close(json, '}');
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    pto_lines_free(&sarif.lines);
    free(sarif.print);
}
