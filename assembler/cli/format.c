#include "format.h"

#include <string.h>

#include "file.h"
#include "output.h"

static bool is_same(const struct pto_buf *a, const struct pto_buf *b)
{
    return a->size == b->size && (a->size == 0 || !memcmp(a->data, b->data, a->size));
}

/* Number of the first line in which two texts differ. */
static uint32_t first_difference(const struct pto_buf *a, const struct pto_buf *b)
{
    uint32_t line = 1;

    for (size_t i = 0; i < a->size && i < b->size && a->data[i] == b->data[i]; i++)
        line += a->data[i] == '\n';
    return line;
}

static enum pto_status deliver(const struct ptoas_options *o, const char *path,
                               const struct pto_buf *text, const struct pto_buf *result,
                               struct pto_diags *diags)
{
    const char *output = o->in_place ? path : o->output ? o->output : "-";

    if ((o->in_place || o->check) && is_same(text, result))
        return PTO_OK;
    if (!o->check)
        return ptoas_write(output, result, diags) ? PTO_OK : PTO_ESYSTEM;
    pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, path, first_difference(text, result), 0,
                                      "this line is laid out differently"),
                  "'ptoas --format --in-place' writes it as it should be");
    return PTO_EPROGRAM;
}

static enum pto_status format_file(const struct ptoas_options *o, const char *path,
                                   struct pto_diags *diags)
{
    struct pto_buf text = {0}, result = {0};
    const char *name = strcmp(path, "-") ? path : "<stdin>", *why;
    enum pto_status status = pto_file_read(path, PTO_FILE_TEXT, &text, &why);

    if (status != PTO_OK)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);
    else
        status = pto_format_text(name, pto_buf_text(&text), text.size, &result, diags);
    if (status == PTO_OK)
        status = deliver(o, path, &text, &result, diags);
    pto_buf_free(&text);
    pto_buf_free(&result);
    return status;
}

enum pto_status ptoas_format(const struct ptoas_options *o, struct pto_diags *diags)
{
    enum pto_status worst = PTO_OK;

    for (unsigned i = 0; i < o->operands; i++) {
        enum pto_status status = format_file(o, o->operand[i], diags);

        worst = status > worst ? status : worst;
    }
    return worst;
}
