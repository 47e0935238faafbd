#include "tool/rules.h"

#include <string.h>

#include "tool/installed.h"
#include "tool/uri.h"

static const struct {
    const char *page, *rule, *text;
} ROW[] = {
#define RULE(page, rule, text) {page, rule, text},
#include "rules_embedded.h"
#undef RULE
};

const char *tool_rule_text(const char *page, const char *rule)
{
    for (size_t i = 0; i < sizeof ROW / sizeof *ROW; i++)
        if (!strcmp(ROW[i].page, page) && !strcmp(ROW[i].rule, rule))
            return ROW[i].text;
    return NULL;
}

const char *tool_rule_uri(const char *page, const char *rule, struct pto_arena *arena)
{
    const char *base = PTO_DOCS_URL, *folder, *uri;
    struct pto_buf text = {0};

    if (!*base) {
        folder = tool_installed_docs(arena);
        if (!folder)
            return NULL;
        tool_put_uri(&text, folder);
        pto_buf_byte(&text, '/');
        base = pto_arena_strdup(arena, pto_buf_text(&text));
    }
    uri = pto_arena_printf(arena, "%s%s.html%s%s", base, page, rule ? "#" : "", rule ? rule : "");
    pto_buf_free(&text);
    return uri;
}
