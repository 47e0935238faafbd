#include "report/sarif.h"

#include <stdlib.h>
#include <string.h>

#include "cli/faults.h"
#include "place.h"
#include "tool/sarif.h"

/* Ends of a run that are results beside those of the checker: without one, a deadlock would look
 * like a clean run. */
static const struct tool_sarif_rule END[] = {
    {"fault", "an instruction could not be carried out", "machine", NULL, "error"},
    {"deadlock", "nothing can run any more, and not everybody has ended", "check", "deadlocks",
     "error"},
    {"limit", "the run came to a limit of simulated time or instructions", "ptovm", "exit-status",
     "error"},
    {"error", "the run ended early", "ptovm", "exit-status", "error"},
};
enum { ENDS = sizeof END / sizeof *END, END_RULE = PTO_FINDING_KINDS + (int)PTO_NOTE_KINDS };

/* ---- fingerprints ---- */

static uint64_t hash_place(struct tool_sarif *sarif, uint64_t hash, const char *file,
                           const struct pto_pos *pos)
{
    return tool_sarif_hash_line(sarif, hash, pos ? file : NULL, pos ? pos->line : 0);
}

static uint64_t hash_finding(struct tool_sarif *sarif, const struct pto_finding *f)
{
    const char *name = pto_finding_name(f->kind);
    uint64_t hash = tool_sarif_hash(TOOL_SARIF_HASH, name, strlen(name));

    for (int i = 0; i < 2; i++) {
        const struct pto_finding_access *access = &f->access[i];

        if (!access->present)
            continue;
        hash = hash_place(sarif, hash, cli_access_file(access), cli_access_pos(access));
        hash = tool_sarif_hash(hash, access->mnemonic, strlen(access->mnemonic));
    }
    return hash;
}

/* ---- parts ---- */

static void access_location(struct tool_sarif *sarif, const struct pto_finding_access *access,
                            const char *text)
{
    const struct pto_pos *pos = cli_access_pos(access);

    if (pos)
        tool_sarif_location(sarif, cli_access_file(access), pos->line, pos->column, 0, text);
}

/* The kinds of findings, then those of notes, then the ends. */
static void rules(struct tool_sarif *sarif)
{
    for (int i = 0; i < PTO_FINDING_KINDS; i++)
        tool_sarif_rule(sarif, &(struct tool_sarif_rule){
            pto_finding_name((enum pto_finding_kind)i),
            pto_finding_meaning((enum pto_finding_kind)i), "check", "kinds", "error"});
    for (int i = 0; i < PTO_NOTE_KINDS; i++)
        tool_sarif_rule(sarif, &(struct tool_sarif_rule){
            pto_note_name((enum pto_note_kind)i),
            pto_note_meaning((enum pto_note_kind)i), "check", "notes", "note"});
    for (int i = 0; i < ENDS; i++)
        tool_sarif_rule(sarif, &END[i]);
}

/* ---- results ---- */

static void finding_message(struct tool_sarif *sarif, const struct pto_finding *f,
                            const struct pto_advice *advice)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", f->message);
    if (f->ordered)
        pto_buf_printf(&text, " Order: %s.", f->ordered);
    if (advice->text)
        pto_buf_printf(&text, " Advice: %s.", advice->text);
    tool_sarif_message(sarif, pto_buf_text(&text));
    pto_buf_free(&text);
}

/* Does a statement go on behind this line? */
static bool continues(struct tool_sarif *sarif, const char *file, uint32_t line)
{
    size_t length;
    const char *text = pto_lines_get(&sarif->lines, file, line, &length);

    return text && length > 0 && text[length - 1] == '\\';
}

/* Nothing is deleted: the region is the empty one before the line. */
static void replacement(struct tool_sarif *sarif, const struct pto_edit *edit)
{
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
    tool_sarif_replacement(sarif, line, 1, 1, pto_buf_text(&text));
    pto_buf_free(&text);
}

/* The advice as one fix, whose edits of one file stand together. */
static void fixes(struct tool_sarif *sarif, const struct pto_advice *advice)
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
        tool_sarif_uri(sarif, file);
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

static void finding_result(struct tool_sarif *sarif, const struct cli_findings *findings,
                           unsigned index)
{
    const struct cli_finding *item = &findings->item[index];
    const struct pto_finding *f = item->finding;
    bool follows = item->follows != index;

    tool_sarif_begin_result(sarif, pto_finding_name(f->kind), f->kind, "error");
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
    tool_sarif_fingerprint(sarif, hash_finding(sarif, f));
    cli_json_uint(&sarif->json, "occurrenceCount", f->count);
    if (follows) {
        cli_json_open(&sarif->json, "properties", '{');
        cli_json_uint(&sarif->json, "follows", item->follows);
        cli_json_close(&sarif->json, '}');
    }
    cli_json_close(&sarif->json, '}');
}

static void note_result(struct tool_sarif *sarif, const struct pto_check_note *note)
{
    struct pto_finding_access at = cli_note_place(note);
    const char *name = pto_note_name(note->kind);
    uint64_t hash;
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", note->message);
    tool_sarif_begin_result(sarif, name, PTO_FINDING_KINDS + (unsigned)note->kind, "note");
    tool_sarif_message(sarif, pto_buf_text(&text));
    cli_json_open(&sarif->json, "locations", '[');
    access_location(sarif, &at, NULL);
    cli_json_close(&sarif->json, ']');
    hash = tool_sarif_hash(TOOL_SARIF_HASH, name, strlen(name));
    tool_sarif_fingerprint(sarif, hash_place(sarif, hash, cli_access_file(&at),
                                             cli_access_pos(&at)));
    cli_json_uint(&sarif->json, "occurrenceCount", note->count);
    cli_json_open(&sarif->json, "properties", '{');
    cli_json_uint(&sarif->json, "waited_ps", note->waited_ps);
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&text);
}

static void fault_message(struct tool_sarif *sarif, const struct pto_fault *fault)
{
    struct pto_buf text = {0};

    pto_buf_printf(&text, "%s.", fault->message);
    if (fault->hint)
        pto_buf_printf(&text, " Hint: %s.", fault->hint);
    if (fault->details)
        pto_buf_printf(&text, "\n%s", fault->details);
    tool_sarif_message(sarif, pto_buf_text(&text));
    pto_buf_free(&text);
}

/* The fault, deadlock or limit that ended the run; what was left behind is a finding already. */
static void end_result(struct tool_sarif *sarif, const struct cli_findings *findings,
                       const struct pto_fault *fault)
{
    const struct pto_pos *pos = fault ? pto_place(fault->module, fault->pos) : NULL;
    const char *file = pos ? fault->module->file[pos->file] : NULL;
    unsigned end = 0;
    uint64_t hash;

    if (!fault || fault->mnemonic)
        return;
    while (end < ENDS - 1 && strcmp(END[end].name, cli_fault_kind(fault)))
        end++;
    tool_sarif_begin_result(sarif, END[end].name, END_RULE + end, "error");
    fault_message(sarif, fault);
    cli_json_open(&sarif->json, "locations", '[');
    if (pos)
        tool_sarif_location(sarif, file, pos->line, pos->column, 0, NULL);
    cli_json_close(&sarif->json, ']');
    if (findings->remedy)
        fixes(sarif, findings->remedy);
    hash = tool_sarif_hash(TOOL_SARIF_HASH, END[end].name, strlen(END[end].name));
    tool_sarif_fingerprint(sarif, hash_place(sarif, hash, file, pos));
    cli_json_close(&sarif->json, '}');
}

static void results(struct tool_sarif *sarif, const struct cli_findings *findings,
                    const struct pto_fault *fault)
{
    end_result(sarif, findings, fault);
    for (unsigned i = 0; i < findings->count; i++)
        finding_result(sarif, findings, i);
    for (unsigned i = 0; i < findings->notes; i++)
        note_result(sarif, &findings->note[i]);
}

/* ---- the whole ---- */

/* Successful: the kernels ran to their end, so nothing is missing among the results. */
static bool is_whole(struct pto_vm *vm)
{
    const struct pto_fault *fault = vm ? pto_vm_fault(vm) : NULL;

    return vm && pto_vm_finished(vm) && (!fault || fault->mnemonic);
}

static bool find_root(const char *input, char root[PATH_MAX])
{
    char *file = pto_xstrdup(input), *kernel = strrchr(file, ':');
    bool found;

    if (kernel && !strchr(kernel, '/'))
        *kernel = '\0';
    found = tool_sarif_find_root(file, root);
    free(file);
    return found;
}

void cli_sarif(const struct cli_findings *findings, struct pto_vm *vm,
               const struct pto_diags *diags, const struct cli_outcome *outcome,
               const char *input, struct pto_buf *out)
{
    char root[PATH_MAX];
    struct tool_sarif sarif = {.root = find_root(input, root) ? root : NULL};

    tool_sarif_begin(&sarif, "ptovm", out);
    rules(&sarif);
    tool_sarif_end_rules(&sarif);
    tool_sarif_invocation(&sarif, is_whole(vm), outcome->exit_code, outcome->status);
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        if (diag->severity != PTO_NOTE)
            tool_sarif_notification(&sarif, diag);
    tool_sarif_end_invocation(&sarif);
    results(&sarif, findings, vm ? pto_vm_fault(vm) : NULL);
    tool_sarif_end(&sarif);
}
