/* The manual's pages: found by name, printed without the marks of their generated part. */
#include "explain.h"

#include <string.h>

#include "diag.h"
#include "ops.h"
#include "list.h"

static const struct page {
    const char *name, *text;
} pages[] = {
#define PAGE(name, text) {name, text},
#include "manual_pages.h"
#undef PAGE
    {NULL, NULL},
};

static void append_page(struct pto_buf *out, const char *text)
{
    static const char mark[] = "<!--";

    while (*text) {
        const char *end = strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) + 1 : strlen(text);

        if (strncmp(text, mark, sizeof mark - 1) != 0)
            pto_buf_append(out, text, length);
        text += length;
    }
}

bool ptoas_explain(const char *mnemonic, struct pto_buf *out, const char **nearest)
{
    const char *names[PTO_ROW_COUNT];
    int first = pto_op_find(mnemonic);

    for (const struct page *page = pages; page->name; page++) {
        if (strcmp(page->name, mnemonic))
            continue;
        append_page(out, page->text);
        return true;
    }
    if (first < 0)
        first = pto_pseudo_op_find(mnemonic);
    for (int op = first; op >= 0; op = pto_op_next((unsigned)op))
        ptoas_list_op(out, pto_op_info((unsigned)op));
    if (out->size)
        return true;
    for (unsigned op = 0; op < PTO_ROW_COUNT; op++)
        names[op] = pto_op_info(op)->mnemonic;
    *nearest = pto_nearest(mnemonic, names, PTO_ROW_COUNT);
    return false;
}
