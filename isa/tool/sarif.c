#include "tool/sarif.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The path from the root, if it lies there; else NULL. */
static const char *below_root(const struct tool_sarif *sarif, const char *path, char *real)
{
    size_t length = sarif->root ? strlen(sarif->root) : 0;

    if (!length || !realpath(path, real) || strncmp(real, sarif->root, length) != 0)
        return NULL;
    return real[length] == '/' ? real + length + 1 : NULL;
}

static void put_uri(struct pto_buf *text, const char *path)
{
    pto_buf_printf(text, "%s", *path == '/' ? "file://" : "");
    for (; *path; path++)
        if (isalnum((uint8_t)*path) || strchr("/-._~", *path))
            pto_buf_byte(text, (uint8_t)*path);
        else
            pto_buf_printf(text, "%%%02X", (uint8_t)*path);
}

void tool_sarif_uri(struct tool_sarif *sarif, const char *path)
{
    char real[PATH_MAX];
    const char *below = below_root(sarif, path, real);
    struct pto_buf text = {0};

    put_uri(&text, below ? below : path);
    cli_json_open(&sarif->json, "artifactLocation", '{');
    cli_json_text(&sarif->json, "uri", pto_buf_text(&text));
    if (below)
        cli_json_text(&sarif->json, "uriBaseId", "SRCROOT");
    cli_json_close(&sarif->json, '}');
    pto_buf_free(&text);
}

void tool_sarif_location(struct tool_sarif *sarif, const char *file, uint32_t line,
                         uint32_t column, const char *text)
{
    struct cli_json *json = &sarif->json;

    cli_json_open(json, NULL, '{');
    cli_json_open(json, "physicalLocation", '{');
    tool_sarif_uri(sarif, file);
    if (line > 0) {
        cli_json_open(json, "region", '{');
        cli_json_uint(json, "startLine", line);
        if (column > 0)
            cli_json_uint(json, "startColumn", column);
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

void tool_sarif_rule(struct tool_sarif *sarif, const char *name, const char *meaning)
{
    cli_json_open(&sarif->json, NULL, '{');
    cli_json_text(&sarif->json, "id", name);
    cli_json_open(&sarif->json, "shortDescription", '{');
    cli_json_text(&sarif->json, "text", meaning);
    cli_json_close(&sarif->json, '}');
    cli_json_close(&sarif->json, '}');
}

/* The folder that paths are given from. */
static void bases(struct tool_sarif *sarif)
{
    struct pto_buf root = {0};

    if (!sarif->root)
        return;
    put_uri(&root, sarif->root);
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
        tool_sarif_location(sarif, diag->file, diag->line, diag->column, NULL);
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
