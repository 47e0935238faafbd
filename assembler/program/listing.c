/* The listing: per kernel the interface and the resources, per core the source lines and under each
 * the instructions that it became.  Written after errors too, with what was understood. */
#include "listing.h"

#include <inttypes.h>
#include <string.h>

#include "assembly.h"
#include "core_name.h"
#include "fit_tile.h"
#include "object.h"

struct listing {
    struct assembly *a;
    struct pto_buf *out;
    const struct asm_source *source; /* of the line shown last */
    uint32_t line;
};

/* Sources by the module's file index; the plain form names files that need not exist here. */
static const struct asm_source *source_of(const struct assembly *a, uint32_t file)
{
    const struct asm_source *source = a->text.source;

    while (source && (a->text.explicit_pos || source->module_file != (int32_t)file))
        source = source->next;
    return source;
}

static void show_source(struct listing *l, uint32_t pos)
{
    const struct pto_module *module = l->a->module;
    const struct asm_source *source;
    const struct pto_pos *place;

    if (pos >= module->positions)
        return;
    place = &module->pos[pos];
    source = source_of(l->a, place->file);
    if (!source || (source == l->source && place->line == l->line) || !place->line ||
        place->line > source->lines)
        return;
    pto_buf_printf(l->out, "%s:%u: %s\n", source->name, place->line,
                   source->line[place->line - 1]);
    l->source = source;
    l->line = place->line;
}

static void show_code(struct listing *l, const struct pto_kernel *kernel,
                      const struct pto_core_code *core, const struct pto_code *code)
{
    l->source = NULL;
    for (uint32_t i = 0; i < code->insns; i++) {
        show_source(l, code->insn[i].pos);
        pto_buf_printf(l->out, "%8u    ", i);
        pto_disassemble_insn(l->a->module, kernel, core, code, &code->insn[i], l->out);
        pto_buf_printf(l->out, "\n");
    }
}

/* One line per tile, and for each memory how much of it is used. */
static void show_tiles(struct listing *l, const struct pto_core_code *core)
{
    uint64_t end[PTO_SPACE_COUNT] = {0};

    for (uint32_t i = 0; i < core->tiles; i++) {
        const struct pto_tile *tile = &core->tile[i];
        uint64_t behind = tile->address + pto_tile_extent(tile);

        pto_buf_printf(l->out, "  tile %-12s %-3s 0x%06x  %u x %u bytes, %s[%u, %u] %s\n",
                       tile->name, pto_space_name(tile->space), tile->address, tile->slots,
                       tile->slot_stride, pto_dtype_name(tile->dtype), tile->rows, tile->cols,
                       pto_layout_name(tile->layout));
        if (behind > end[tile->space])
            end[tile->space] = behind;
    }
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
        if (end[space])
            pto_buf_printf(l->out, "  %s: %" PRIu64 " of %u bytes\n", pto_space_name(space),
                           end[space], l->a->profile->capacity[space]);
}

static void show_kernel(struct listing *l, const struct pto_kernel *kernel)
{
    pto_buf_printf(l->out, "kernel %s: %u parameters, %u global objects, profile %s\n",
                   kernel->name, kernel->params, kernel->objects, l->a->module->profile);
    if (kernel->setup.insns) {
        pto_buf_printf(l->out, "\nset-up: %u instructions, %u registers\n", kernel->setup.insns,
                       kernel->setup.regs);
        show_code(l, kernel, NULL, &kernel->setup);
    }
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        const struct pto_core_code *core = &kernel->core[kind];

        if (!core->present)
            continue;
        pto_buf_printf(l->out, "\ncore %s: %u instructions, %u registers\n", pto_core_names[kind],
                       core->code.insns, core->code.regs);
        show_tiles(l, core);
        show_code(l, kernel, core, &core->code);
    }
    pto_buf_printf(l->out, "\n");
}

void asm_listing(struct assembly *a, struct pto_buf *out)
{
    struct listing l = {.a = a, .out = out};

    for (uint32_t i = 0; i < a->module->kernels; i++)
        show_kernel(&l, &a->module->kernel[i]);
    if (a->diags->errors)
        pto_buf_printf(out, "%u error%s; the listing holds what was understood\n",
                       a->diags->errors, a->diags->errors == 1 ? "" : "s");
}
