#include "output.h"

#include <string.h>

#include "file.h"
#include "tool/files.h"

bool ptoas_write(const char *path, const struct pto_buf *bytes, struct pto_diags *diags)
{
    const char *why = NULL;

    if (pto_file_write(path, bytes->data, bytes->size, &why) == PTO_OK)
        return true;
    tool_cannot_write(path, why, diags);
    return false;
}

const char *ptoas_object_name(const struct ptoas_options *options, struct pto_buf *text)
{
    const char *slash = strrchr(options->input, '/');
    const char *base = slash ? slash + 1 : options->input;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);

    if (options->output)
        return options->output;
    pto_buf_append(text, base, length);
    pto_buf_printf(text, ".ptob");
    return pto_buf_text(text);
}

/* Each path of a list, one a line, is an input. */
static void add_inputs(const struct pto_buf *list, struct tool_files *files)
{
    struct pto_buf path = {0};

    for (size_t i = 0; i < list->size; i++) {
        if (list->data[i] != '\n') {
            pto_buf_byte(&path, list->data[i]);
            continue;
        }
        tool_files_add(files, pto_buf_text(&path), pto_buf_text(&path), false);
        path.size = 0;
    }
    pto_buf_free(&path);
}

bool ptoas_outputs_are_safe(const struct ptoas_options *options, const struct pto_buf *read,
                            struct pto_diags *diags)
{
    const struct tool_file_use *output, *other;
    struct tool_files files = {0};
    struct pto_buf name = {0};
    bool safe;

    tool_files_add(&files, options->input, options->input, false);
    tool_files_add(&files, options->profile, options->profile, false);
    add_inputs(read, &files);
    if ((options->job == PTOAS_ASSEMBLE && !options->text && !options->cpp) ||
        options->output) {
        const char *object = ptoas_object_name(options, &name);

        tool_files_add(&files, object, object, true);
    }
    tool_files_add(&files, options->listing, options->listing, true);
    tool_files_add(&files, options->sarif, options->sarif, true);
    safe = !tool_files_clash(&files, &output, &other);
    if (!safe)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                     other->output ? "'%s' and '%s' would be the same file"
                                   : "the output '%s' would replace the input '%s'",
                     output->what, other->what);
    pto_buf_free(&name);
    tool_files_free(&files);
    return safe;
}

void ptoas_make_rule(const struct ptoas_options *options, const struct pto_buf *read,
                     struct pto_buf *rule)
{
    struct pto_buf name = {0};

    pto_buf_printf(rule, "%s:", ptoas_object_name(options, &name));
    for (size_t i = 0, start = 0; i < read->size; i++) {
        if (read->data[i] != '\n')
            continue;
        pto_buf_printf(rule, " %.*s", (int)(i - start), (const char *)read->data + start);
        start = i + 1;
    }
    pto_buf_printf(rule, "\n");
    pto_buf_free(&name);
}
