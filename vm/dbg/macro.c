#include "dbg/macro.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/source.h"

/* The uses that an instruction is the first of; `seen`: by position that leads to a use. */
static void look_at(struct dbg *dbg, const struct dbg_place *start, struct macro_use *use,
                    bool *seen, void (*function)(void *context, const struct macro_use *use),
                    void *context)
{
    const struct pto_module *module = start->module;
    uint32_t pos = start->code->code.insn[use->pc].pos;
    unsigned levels = source_levels(module, pos);

    for (use->level = 1; use->level < levels; use->level++) {
        const struct pto_pos *at = source_level(module, pos, use->level);

        if (seen[at->parent])
            continue;
        seen[at->parent] = true;
        use->name = source_macro_at(dbg, module, pos, use->level, &use->length);
        if (use->name)
            function(context, use);
    }
}

void macro_each_use(struct dbg *dbg, const struct dbg_place *start,
                    void (*function)(void *context, const struct macro_use *use), void *context)
{
    bool *seen = pto_xcalloc(start->module->positions + 1, sizeof *seen);
    struct macro_use use = {0};

    for (; use.pc < start->code->code.insns; use.pc++)
        look_at(dbg, start, &use, seen, function, context);
    free(seen);
}

/* ---- what the files say ---- */

static bool defines(struct dbg *dbg, const char *path, const char *name)
{
    uint32_t lines = source_line_count(dbg, path);
    size_t length;

    for (uint32_t line = 1; line <= lines; line++) {
        const char *macro = source_macro(dbg, path, line, &length);

        if (macro && dbg_is_name(name, macro, length))
            return true;
    }
    return false;
}

bool macro_unused(struct dbg *dbg, const char *name)
{
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_module *module = &dbg->launch.kernel[k].file->program.module;

        for (uint32_t f = 0; f < module->files; f++)
            if (defines(dbg, module->file[f], name)) {
                dbg_error(dbg, "the program does not use it, or only where no instruction comes "
                          "of it", "no instruction comes from the macro '%s'", name);
                return true;
            }
    }
    return false;
}

const char *macro_lost_file(struct dbg *dbg)
{
    for (unsigned k = 0; k < dbg->launch.kernels; k++) {
        const struct pto_module *module = &dbg->launch.kernel[k].file->program.module;

        for (uint32_t f = 0; f < module->files; f++)
            if (source_line_count(dbg, module->file[f]) == 0)
                return module->file[f];
    }
    return NULL;
}
