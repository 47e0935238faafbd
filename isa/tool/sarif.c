#include "tool/sarif.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tool/rules.h"
#include "tool/uri.h"
#include "version.h"

/* ---- fingerprints ---- */

/* FNV-1a (Fowler, Noll, Vo), with the end of the text. */
uint64_t tool_sarif_hash(uint64_t hash, const char *text, size_t length)
{
    for (size_t i = 0; i <= length; i++)
        hash = (hash ^ (i < length ? (uint8_t)text[i] : 0)) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t tool_sarif_hash_line(struct tool_sarif *sarif, uint64_t hash, const char *file,
                              uint32_t number)
{
    size_t length = 0;
    const char *line = file ? pto_lines_get(&sarif->lines, file, number, &length) : NULL;

    if (!line)
        return tool_sarif_hash(hash, "", 0);
    for (; length && isspace((uint8_t)*line); length--)
        line++;
    while (length && isspace((uint8_t)line[length - 1]))
        length--;
    return tool_sarif_hash(hash, line, length);
}

void tool_sarif_fingerprint(struct tool_sarif *sarif, uint64_t hash)
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

/* ---- parts ---- */

void tool_sarif_message(struct tool_sarif *sarif, const char *text)
{
    cli_json_open(&sarif->json, "message", '{');
    cli_json_text(&sarif->json, "text", text);
    cli_json_close(&sarif->json, '}');
}

bool tool_sarif_find_root(const char *path, char root[PATH_MAX])
{
    char *slash;

    if (!realpath(path, root))
        return false;
    while ((slash = strrchr(root, '/')) && slash != root) {
        char mark[PATH_MAX + 8];
        struct stat info;

        *slash = '\0';
        snprintf(mark, sizeof mark, "%s/.git", root);
        if (stat(mark, &info) == 0)
            return true;
    }
    return false;
}

/* The path from the root, if it lies there; else NULL. */
static const char *below_root(const struct tool_sarif *sarif, const char *path, char *real)
{
    size_t length = sarif->root ? strlen(sarif->root) : 0;

    if (!length || !realpath(path, real) || strncmp(real, sarif->root, length) != 0)
        return NULL;
    return real[length] == '/' ? real + length + 1 : NULL;
}

void tool_sarif_uri(struct tool_sarif *sarif, const char *path)
{
    char real[PATH_MAX];
    const char *below = below_root(sarif, path, real);
    struct pto_buf text = {0};

    tool_put_uri(&text, below ? below : path);
    cli_json_open(&sarif->json, "artifactLocation", '{');
    cli_json_text(&sarif->json, "uri", pto_buf_text(&text));
    if (below)
        cli_json_text(&sarif->json, "uriBaseId", "SRCROOT");
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&text);
}

/* Code points of the word that begins at a column: where it stands nobody else knows how far. */
static uint32_t word_length(struct tool_sarif *sarif, const char *file, uint32_t line,
                            uint32_t column)
{
    size_t length;
    const char *text = pto_lines_get(&sarif->lines, file, line, &length), *end, *from;

    if (!text)
        return 0;
    end = text + length;
    for (uint32_t i = 1; i < column && text < end; i++)
        for (text++; text < end && (*text & 0xc0) == 0x80;)
            text++;
    for (from = text; text < end && (isalnum((uint8_t)*text) || strchr("_.%", *text));)
        text++;
    return (uint32_t)(text - from);
}

void tool_sarif_location(struct tool_sarif *sarif, const char *file, uint32_t line,
                         uint32_t column, uint32_t length, const char *text)
{
    struct cli_json *json = &sarif->json;

    if (line > 0 && column > 0 && length == 0)
        length = word_length(sarif, file, line, column);
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "physicalLocation", '{');
    tool_sarif_uri(sarif, file);
    if (line > 0) {
        cli_json_open(json, "region", '{');
        cli_json_uint(json, "startLine", line);
        if (column > 0)
            cli_json_uint(json, "startColumn", column);
        if (column > 0 && length > 0)
            cli_json_uint(json, "endColumn", column + length);
        cli_json_close(json, '}');
    }
    cli_json_close(json, '}');
    if (text)
        tool_sarif_message(sarif, text);
    cli_json_close(json, '}');
}

void tool_sarif_begin_result(struct tool_sarif *sarif, const char *id, unsigned index,
                             const char *level)
{
    cli_json_open(&sarif->json, NULL, '{');
    cli_json_text(&sarif->json, "ruleId", id);
    cli_json_uint(&sarif->json, "ruleIndex", index);
    cli_json_text(&sarif->json, "level", level);
}

void tool_sarif_replacement(struct tool_sarif *sarif, uint32_t line, uint32_t column,
                            uint32_t end_column, const char *text)
{
    struct cli_json *json = &sarif->json;

    cli_json_open(json, NULL, '{');
    cli_json_open(json, "deletedRegion", '{');
    cli_json_uint(json, "startLine", line);
    cli_json_uint(json, "startColumn", column);
    cli_json_uint(json, "endLine", line);
    cli_json_uint(json, "endColumn", end_column);
    cli_json_close(json, '}');
    cli_json_open(json, "insertedContent", '{');
    cli_json_text(json, "text", text);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
}

/* ---- the whole ---- */

void tool_sarif_begin(struct tool_sarif *sarif, const char *program, struct pto_buf *out)
{
    struct cli_json *json = &sarif->json;

    json->out = out;
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cli_json_text(json, "version", "2.1.0");
    cli_json_open(json, "runs", '[');
    cli_json_open(json, NULL, '{');
    cli_json_open(json, "tool", '{');
    cli_json_open(json, "driver", '{');
    cli_json_text(json, "name", program);
    cli_json_text(json, "version", pto_version());
    cli_json_open(json, "rules", '[');
}

/* A text that begins with a small letter, as a sentence. */
static void sentence(struct tool_sarif *sarif, const char *key, const char *what)
{
    struct pto_buf text = {0};

    pto_buf_byte(&text, (uint8_t)toupper((uint8_t)*what));
    pto_buf_printf(&text, "%s.", what + 1);
    cli_json_open(&sarif->json, key, '{');
    cli_json_text(&sarif->json, "text", pto_buf_text(&text));
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&text);
}

void tool_sarif_rule(struct tool_sarif *sarif, const struct tool_sarif_rule *rule)
{
    struct cli_json *json = &sarif->json;
    struct pto_arena arena = {0};
    const char *row = tool_rule_text(rule->page, rule->name);
    const char *uri = tool_rule_uri(rule->page, row ? rule->name : rule->section, &arena);

    cli_json_open(json, NULL, '{');
    cli_json_text(json, "id", rule->name);
    sentence(sarif, "shortDescription", rule->meaning);
    sentence(sarif, "fullDescription", row ? row : rule->meaning);
    cli_json_open(json, "help", '{');
    cli_json_text(json, "text", pto_arena_printf(&arena, "The manual has more about '%s', on the "
                                                 "page docs/%s.md.", rule->name, rule->page));
    cli_json_close(json, '}');
    if (uri)
        cli_json_text(json, "helpUri", uri);
    cli_json_open(json, "defaultConfiguration", '{');
    cli_json_text(json, "level", rule->level);
    cli_json_close(json, '}');
    cli_json_close(json, '}');
    pto_arena_free(&arena);
}

/* The folder that paths are given from. */
static void bases(struct tool_sarif *sarif)
{
    struct pto_buf root = {0};

    if (!sarif->root)
        return;
    tool_put_uri(&root, sarif->root);
    pto_buf_byte(&root, '/');
    cli_json_open(&sarif->json, "originalUriBaseIds", '{');
    cli_json_open(&sarif->json, "SRCROOT", '{');
    cli_json_text(&sarif->json, "uri", pto_buf_text(&root));
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&root);
}

void tool_sarif_end_rules(struct tool_sarif *sarif)
{
    cli_json_close(&sarif->json, ']');
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
    bases(sarif);
}

void tool_sarif_notification(struct tool_sarif *sarif, const struct pto_diag *diag)
{
    cli_json_open(&sarif->json, NULL, '{');
    tool_sarif_message(sarif, diag->message);
    cli_json_text(&sarif->json, "level", diag->severity == PTO_ERROR ? "error" : "warning");
    if (diag->file) {
        cli_json_open(&sarif->json, "locations", '[');
        tool_sarif_location(sarif, diag->file, diag->line, diag->column, diag->length, NULL);
        cli_json_close(&sarif->json, ']');
    }
    cli_json_close(&sarif->json, '}');
}

void tool_sarif_invocation(struct tool_sarif *sarif, bool successful, int exit_code,
                           const char *status)
{
    struct cli_json *json = &sarif->json;

    cli_json_open(json, "invocations", '[');
    cli_json_open(json, NULL, '{');
    cli_json_bool(json, "executionSuccessful", successful);
    cli_json_int(json, "exitCode", exit_code);
    cli_json_text(json, "exitCodeDescription", status);
    cli_json_open(json, "toolConfigurationNotifications", '[');
}

void tool_sarif_end_invocation(struct tool_sarif *sarif)
{
    struct cli_json *json = &sarif->json;

    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
    cli_json_text(json, "columnKind", "unicodeCodePoints");
    cli_json_open(json, "results", '[');
}

void tool_sarif_end(struct tool_sarif *sarif)
{
    struct cli_json *json = &sarif->json;

    cli_json_close(json, ']');
    cli_json_close(json, '}');
    cli_json_close(json, ']');
    cli_json_close(json, '}');
    pto_lines_free(&sarif->lines);
    free(sarif->print);
}
