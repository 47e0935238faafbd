#include "sarif.h"

#include <string.h>

#include "output.h"
#include "place.h"
#include "tool/sarif.h"
#include "tool/suggestion.h"

static const struct tool_sarif_rule RULE[] = {
    {"text", "the text cannot be assembled", "language", NULL, "error"},
#define LINT(id, name, meaning) {name, meaning, "lint", "rules", "warning"},
#include "lint/lint.def"
#undef LINT
};
enum { RULES = sizeof RULE / sizeof *RULE, LINT_RULE = 1 };

static const char *const LEVEL[] = {
    [PTO_NOTE] = "note", [PTO_WARNING] = "warning", [PTO_ERROR] = "error"};

static void message(struct tool_sarif *sarif, const char *text, const char *hint)
{
    struct pto_buf whole = {0};

    pto_buf_printf(&whole, "%s.", text);
    if (hint)
        pto_buf_printf(&whole, " Hint: %s.", hint);
    tool_sarif_message(sarif, pto_buf_text(&whole));
    pto_buf_free(&whole);
}

/* ---- errors of the text ---- */

static void fix(struct tool_sarif *sarif, const struct pto_diag *diag, const char *word)
{
    struct cli_json *json = &sarif->json;

    cli_json_open(json, "fixes", '[');
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "description", '{');
    cli_json_text(json, "text", diag->hint);
    cli_json_close(json, '}');
    cli_json_open(json, "artifactChanges", '[');
    cli_json_open(json, NULL, '{');
    tool_sarif_uri(sarif, diag->file);
    cli_json_open(json, "replacements", '[');
    tool_sarif_replacement(sarif, diag->line, diag->column, diag->column + diag->length, word);
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
}

static void text_result(struct tool_sarif *sarif, const struct pto_diag *diag,
                        struct pto_arena *arena)
{
    const char *word = tool_suggestion(diag, arena);
    uint64_t hash = tool_sarif_hash(TOOL_SARIF_HASH, diag->message, strlen(diag->message));

    tool_sarif_begin_result(sarif, RULE[0].name, 0, LEVEL[diag->severity]);
    message(sarif, diag->message, diag->hint);
    cli_json_open(&sarif->json, "locations", '[');
    tool_sarif_location(sarif, diag->file, diag->line, diag->column, diag->length, NULL);
    cli_json_close(&sarif->json, ']');
    cli_json_open(&sarif->json, "relatedLocations", '[');
    for (const struct pto_diag *step = diag->trail; step; step = step->trail)
        if (step->file)
            tool_sarif_location(sarif, step->file, step->line, step->column, step->length,
                                step->message);
    cli_json_close(&sarif->json, ']');
    if (word)
        fix(sarif, diag, word);
    tool_sarif_fingerprint(sarif, tool_sarif_hash_line(sarif, hash, diag->file, diag->line));
    cli_json_close(&sarif->json, '}');
}

/* ---- findings of the lint ---- */

static void place(struct tool_sarif *sarif, const struct pto_module *module,
                  const struct pto_pos *pos, const char *text)
{
    if (pos)
        tool_sarif_location(sarif, module->file[pos->file], pos->line, pos->column, 0, text);
}

static void lint_result(struct tool_sarif *sarif, const struct pto_module *module,
                        const struct pto_lint_finding *finding)
{
    const struct pto_pos *pos = pto_place(module, finding->pos);
    unsigned rule = LINT_RULE + (unsigned)finding->rule;
    uint64_t hash = tool_sarif_hash(TOOL_SARIF_HASH, RULE[rule].name, strlen(RULE[rule].name));

    tool_sarif_begin_result(sarif, RULE[rule].name, rule, LEVEL[finding->severity]);
    message(sarif, finding->message, finding->hint);
    cli_json_open(&sarif->json, "locations", '[');
    place(sarif, module, pos, NULL);
    cli_json_close(&sarif->json, ']');
    cli_json_open(&sarif->json, "relatedLocations", '[');
    for (const struct pto_pos *from = pos; from && from->parent >= 0;) {
        from = pto_place(module, (uint32_t)from->parent);
        place(sarif, module, from, "used from here");
    }
    cli_json_close(&sarif->json, ']');
    tool_sarif_fingerprint(sarif, tool_sarif_hash_line(sarif, hash,
                                                       pos ? module->file[pos->file] : NULL,
                                                       pos ? pos->line : 0));
    cli_json_close(&sarif->json, '}');
}

/* ---- the whole ---- */

static void results(struct tool_sarif *sarif, const struct ptoas_linted *linted,
                    const struct pto_diags *diags)
{
    struct pto_arena arena = {0};

    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        if (diag->file)
            text_result(sarif, diag, &arena);
    for (uint32_t i = 0; linted->lint && i < linted->lint->findings; i++)
        lint_result(sarif, linted->module, &linted->lint->finding[i]);
    pto_arena_free(&arena);
}

bool ptoas_sarif(const struct ptoas_options *o, struct ptoas_linted linted, int exit_code,
                 struct pto_diags *diags)
{
    char root[PATH_MAX];
    struct tool_sarif sarif = {.root = tool_sarif_find_root(o->input, root) ? root : NULL};
    struct pto_buf text = {0};
    bool good;

    if (!o->sarif)
        return true;
    pto_diags_add_lines(diags);
    tool_sarif_begin(&sarif, "ptoas", &text);
    for (unsigned i = 0; i < RULES; i++)
        tool_sarif_rule(&sarif, &RULE[i]);
    tool_sarif_end_rules(&sarif);
    tool_sarif_invocation(&sarif, diags->errors == 0, exit_code,
                          exit_code == 0   ? "done"
                          : exit_code == 1 ? "the input is wrong"
                                           : "the command line or a file is wrong");
    for (const struct pto_diag *diag = diags->first; diag; diag = diag->next)
        if (!diag->file)
            tool_sarif_notification(&sarif, diag);
    tool_sarif_end_invocation(&sarif);
    results(&sarif, &linted, diags);
    tool_sarif_end(&sarif);
    good = ptoas_write(o->sarif, &text, diags);
    pto_buf_free(&text);
    return good;
}
