#include "place.h"

const struct pto_pos *pto_place(const struct pto_module *module, int64_t index)
{
    if (!module || index < 0 || index >= module->positions ||
        module->pos[index].file >= module->files)
        return NULL;
    return &module->pos[index];
}

const struct pto_pos *pto_place_first(const struct pto_module *module, int64_t index)
{
    const struct pto_pos *pos = pto_place(module, index), *outer = pos;

    for (const struct pto_pos *p = pos; p; p = pto_place(module, p->parent))
        outer = p;
    while (pos && pos->file != outer->file)
        pos = pto_place(module, pos->parent);
    return pos;
}

/* What led to a position: uses of macros, includes; innermost first. */
static struct pto_diag *trail_of(struct pto_diags *diags, const struct pto_module *module,
                                 const struct pto_pos *pos)
{
    struct pto_diag *first = NULL, **link = &first;

    for (unsigned depth = 0; depth < PTO_TRAIL_DEPTH; depth++) {
        struct pto_diag *note;

        pos = pto_place(module, pos->parent);
        if (!pos)
            break;
        note = pto_arena_alloc(&diags->arena, sizeof *note);
        *note = (struct pto_diag){
            .severity = PTO_NOTE,
            .file = pto_arena_strdup(&diags->arena, module->file[pos->file]),
            .line = pos->line,
            .column = pos->column,
            .length = 1,
            .message = "used from here",
        };
        *link = note;
        link = &note->trail;
    }
    return first;
}

struct pto_diag *pto_diag_at(struct pto_diags *diags, enum pto_severity severity,
                             const struct pto_module *module, uint32_t index, const char *text)
{
    const struct pto_pos *pos = pto_place(module, index);
    struct pto_diag *diag = pto_diag_add(diags, severity, pos ? module->file[pos->file] : NULL,
                                         pos ? pos->line : 0, pos ? pos->column : 0, "%s", text);

    if (pos && !pto_diags_full(diags))
        diag->trail = trail_of(diags, module, pos);
    return diag;
}
