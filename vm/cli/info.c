#include "cli/info.h"

#include <stddef.h>
#include <string.h>

#include "cli/json.h"
#include "core_name.h"
#include "profile_built_in.h"
#include "profile_load.h"

static const char *const OBJECT_KIND[PTO_OBJECT_KINDS] = {
    [PTO_OBJ_IN] = "in",   [PTO_OBJ_OUT] = "out",       [PTO_OBJ_INOUT] = "inout",
    [PTO_OBJ_GM] = "gm",   [PTO_OBJ_SYM] = "sym",       [PTO_OBJ_SIGNAL] = "signal",
    [PTO_OBJ_VIEW] = "view",
};

/* ---- what both forms need ----------------------------------------------------------------- */

/* Append a parameter's default; false if it has none. */
static bool default_of(const struct pto_kernel *kernel, uint32_t param, struct pto_buf *out)
{
    const struct pto_code *setup = &kernel->setup;

    for (uint32_t i = 0; i < setup->insns; i++) {
        const struct pto_insn *insn = &setup->insn[i];

        if (insn->op == PTO_OP_DEFAULT && insn->operand[0].scalar.reg == param) {
            cli_expression_text(kernel, &insn->operand[1].scalar, i, out);
            return true;
        }
    }
    return false;
}

/* Append a value as objects see it. */
static void size_text(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                      struct pto_buf *out)
{
    cli_expression_text(kernel, scalar, kernel->setup.insns, out);
}

static void list_of(const struct pto_kernel *kernel, const struct pto_scalar *scalar,
                    unsigned count, struct pto_buf *out)
{
    for (unsigned i = 0; i < count; i++) {
        pto_buf_printf(out, "%s", i > 0 ? ", " : "");
        size_text(kernel, &scalar[i], out);
    }
}

/* Bytes of a space up to the end of the last tile in it. */
static uint32_t space_used(const struct pto_core_code *core, unsigned space)
{
    uint32_t used = 0;

    for (uint32_t i = 0; i < core->tiles; i++) {
        const struct pto_tile *tile = &core->tile[i];
        uint32_t end = tile->address + (tile->slots - 1) * tile->slot_stride +
                       (uint32_t)pto_tile_bytes(tile);

        if (tile->space == space && end > used)
            used = end;
    }
    return used;
}

static unsigned cores_per_block(const struct pto_kernel *kernel, int kind)
{
    return kind == PTO_AIC ? 1 : kernel->vectors_per_block;
}

/* ---- text --------------------------------------------------------------------------------- */

static void params_text(const struct pto_kernel *kernel, struct pto_buf *out)
{
    for (uint32_t i = 0; i < kernel->params; i++) {
        const struct pto_param *param = &kernel->param[i];
        struct pto_buf value = {0};
        bool given = default_of(kernel, i, &value);

        pto_buf_printf(out, "  param   %s : %s%s%s%s\n", param->name,
                       param->is_float ? "f64" : "i64", param->uniform ? " uniform" : "",
                       given ? " = " : "", pto_buf_text(&value));
        pto_buf_free(&value);
    }
}

static void object_text(const struct pto_kernel *kernel, const struct pto_object *object,
                        struct pto_buf *out)
{
    bool at_start = object->offset.kind == PTO_S_INT && object->offset.i == 0;

    pto_buf_printf(out, "  %-7s %s : %s[", OBJECT_KIND[object->kind], object->name,
                   pto_dtype_name((enum pto_dtype)object->dtype));
    list_of(kernel, object->dim, object->dims, out);
    pto_buf_printf(out, "]%s%s%s", object->optional ? " optional" : "",
                   object->uniform ? " uniform" : "", object->flat ? " flat" : "");
    if (object->base >= 0)
        pto_buf_printf(out, " of %s", kernel->object[object->base].name);
    if (object->offset.kind != PTO_S_NONE && !at_start) {
        pto_buf_printf(out, " offset ");
        size_text(kernel, &object->offset, out);
    }
    if (object->strided) {
        pto_buf_printf(out, " strides ");
        list_of(kernel, object->stride, object->dims, out);
    }
    pto_buf_printf(out, "\n");
}

static void tile_text(const struct pto_core_code *core, const struct pto_tile *tile,
                      struct pto_buf *out)
{
    pto_buf_printf(out, "    %s", tile->name);
    if (tile->slots > 1)
        pto_buf_printf(out, "[%u]", tile->slots);
    pto_buf_printf(out, " : %s %s[%u, %u] %s @ 0x%x", pto_space_name((enum pto_space)tile->space),
                   pto_dtype_name((enum pto_dtype)tile->dtype), tile->rows, tile->cols,
                   pto_layout_name((enum pto_layout)tile->layout), tile->address);
    if (tile->parent >= 0)
        pto_buf_printf(out, ", view of %s\n", core->tile[tile->parent].name);
    else
        pto_buf_printf(out, ", %llu bytes%s\n", (unsigned long long)pto_tile_bytes(tile),
                       tile->slots > 1 ? " a slot" : "");
}

static void core_text(const struct pto_kernel *kernel, const struct pto_profile *profile, int kind,
                      struct pto_buf *out)
{
    const struct pto_core_code *core = &kernel->core[kind];

    if (!core->present)
        return;
    pto_buf_printf(out, "  core    %s, %u in a block: %u instructions, %u registers\n",
                   pto_core_names[kind], cores_per_block(kernel, kind), core->code.insns,
                   core->code.regs);
    for (uint32_t i = 0; i < core->tiles; i++)
        tile_text(core, &core->tile[i], out);
    for (uint32_t i = 0; i < core->locals; i++)
        pto_buf_printf(out, "    %s : local %s[%u]\n", core->local[i].name,
                       core->local[i].is_float ? "f64" : "i64", core->local[i].count);
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++) {
        uint32_t used = space_used(core, space);

        if (used > 0)
            pto_buf_printf(out, "    %s: %u of %u bytes used\n",
                           pto_space_name((enum pto_space)space), used, profile->capacity[space]);
    }
}

void cli_info_text(const struct pto_module *module, const struct pto_profile *profile,
                   struct pto_buf *out)
{
    for (uint32_t k = 0; k < module->kernels; k++) {
        const struct pto_kernel *kernel = &module->kernel[k];

        pto_buf_printf(out, "%skernel %s on %s\n", k > 0 ? "\n" : "", kernel->name, profile->name);
        params_text(kernel, out);
        for (uint32_t i = 0; i < kernel->objects; i++)
            object_text(kernel, &kernel->object[i], out);
        for (int kind = 0; kind < PTO_CORE_KINDS; kind++)
            core_text(kernel, profile, kind, out);
    }
}

/* ---- memory of a run ---------------------------------------------------------------------- */

static const struct {
    const char *key, *words;
    size_t offset; /* in struct pto_memory */
} memory_kind[] = {
    {"inputs", "inputs, until it starts", offsetof(struct pto_memory, inputs)},
    {"objects", "objects", offsetof(struct pto_memory, objects)},
    {"symmetric", "symmetric objects", offsetof(struct pto_memory, symmetric)},
    {"on_chip", "memories of the sub-cores", offsetof(struct pto_memory, on_chip)},
    {"machine", "sub-cores and queues", offsetof(struct pto_memory, machine)},
    {"total", "in all", offsetof(struct pto_memory, total)},
};

static uint64_t memory_bytes(const struct pto_memory *memory, unsigned kind)
{
    uint64_t bytes;

    memcpy(&bytes, (const char *)memory + memory_kind[kind].offset, sizeof bytes);
    return bytes;
}

void cli_memory_text(const struct pto_memory *memory, int ranks, struct pto_buf *out)
{
    pto_buf_printf(out, "\nmemory of a run on %d rank%s, bytes\n", ranks, ranks == 1 ? "" : "s");
    for (unsigned i = 0; i < sizeof memory_kind / sizeof *memory_kind; i++)
        pto_buf_printf(out, "  %-26s %15llu\n", memory_kind[i].words,
                       (unsigned long long)memory_bytes(memory, i));
}

/* ---- JSON --------------------------------------------------------------------------------- */

static void dims_json(const struct pto_kernel *kernel, const struct pto_object *object,
                      struct cli_json *json)
{
    cli_json_open(json, "dims", '[');
    for (unsigned d = 0; d < object->dims; d++) {
        struct pto_buf text = {0};

        size_text(kernel, &object->dim[d], &text);
        cli_json_text(json, NULL, pto_buf_text(&text));
        pto_buf_free(&text);
    }
    cli_json_close(json, ']');
}

static void params_json(const struct pto_kernel *kernel, struct cli_json *json)
{
    cli_json_open(json, "params", '[');
    for (uint32_t i = 0; i < kernel->params; i++) {
        struct pto_buf value = {0};

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", kernel->param[i].name);
        cli_json_text(json, "type", kernel->param[i].is_float ? "f64" : "i64");
        cli_json_bool(json, "uniform", kernel->param[i].uniform);
        if (default_of(kernel, i, &value))
            cli_json_text(json, "default", pto_buf_text(&value));
        pto_buf_free(&value);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void objects_json(const struct pto_kernel *kernel, struct cli_json *json)
{
    cli_json_open(json, "objects", '[');
    for (uint32_t i = 0; i < kernel->objects; i++) {
        const struct pto_object *object = &kernel->object[i];

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", object->name);
        cli_json_text(json, "kind", OBJECT_KIND[object->kind]);
        cli_json_text(json, "dtype", pto_dtype_name((enum pto_dtype)object->dtype));
        cli_json_bool(json, "optional", object->optional);
        cli_json_bool(json, "uniform", object->uniform);
        cli_json_bool(json, "flat", object->flat);
        dims_json(kernel, object, json);
        if (object->base >= 0)
            cli_json_text(json, "base", kernel->object[object->base].name);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void tiles_json(const struct pto_core_code *core, struct cli_json *json)
{
    cli_json_open(json, "tiles", '[');
    for (uint32_t i = 0; i < core->tiles; i++) {
        const struct pto_tile *tile = &core->tile[i];

        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", tile->name);
        cli_json_text(json, "space", pto_space_name((enum pto_space)tile->space));
        cli_json_text(json, "dtype", pto_dtype_name((enum pto_dtype)tile->dtype));
        cli_json_text(json, "layout", pto_layout_name((enum pto_layout)tile->layout));
        cli_json_uint(json, "rows", tile->rows);
        cli_json_uint(json, "cols", tile->cols);
        cli_json_uint(json, "slots", tile->slots);
        cli_json_uint(json, "address", tile->address);
        cli_json_uint(json, "bytes", pto_tile_bytes(tile));
        if (tile->parent >= 0)
            cli_json_text(json, "view_of", core->tile[tile->parent].name);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void cores_json(const struct pto_kernel *kernel, const struct pto_profile *profile,
                       struct cli_json *json)
{
    cli_json_open(json, "cores", '[');
    for (int kind = 0; kind < PTO_CORE_KINDS; kind++) {
        const struct pto_core_code *core = &kernel->core[kind];

        if (!core->present)
            continue;
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "kind", pto_core_names[kind]);
        cli_json_uint(json, "per_block", cores_per_block(kernel, kind));
        cli_json_uint(json, "instructions", core->code.insns);
        cli_json_uint(json, "registers", core->code.regs);
        tiles_json(core, json);
        cli_json_open(json, "memory", '[');
        for (unsigned space = 0; space < PTO_SPACE_COUNT; space++) {
            if (space_used(core, space) == 0)
                continue;
            cli_json_open(json, NULL, '{');
            cli_json_text(json, "space", pto_space_name((enum pto_space)space));
            cli_json_uint(json, "used", space_used(core, space));
            cli_json_uint(json, "capacity", profile->capacity[space]);
            cli_json_close(json, '}');
        }
        cli_json_close(json, ']');
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void memory_json(const struct pto_memory *memory, struct cli_json *json)
{
    cli_json_open(json, "memory", '{');
    for (unsigned i = 0; i < sizeof memory_kind / sizeof *memory_kind; i++)
        cli_json_uint(json, memory_kind[i].key, memory_bytes(memory, i));
    cli_json_close(json, '}');
}

void cli_info_json(const struct pto_module *module, const struct pto_profile *profile,
                   const struct pto_memory *memory, struct pto_buf *out)
{
    struct cli_json json = {.out = out};

    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "schema", "pto-info/1");
    cli_json_text(&json, "profile", profile->name);
    cli_json_open(&json, "kernels", '[');
    for (uint32_t k = 0; k < module->kernels; k++) {
        const struct pto_kernel *kernel = &module->kernel[k];

        cli_json_open(&json, NULL, '{');
        cli_json_text(&json, "name", kernel->name);
        params_json(kernel, &json);
        objects_json(kernel, &json);
        cores_json(kernel, profile, &json);
        cli_json_close(&json, '}');
    }
    cli_json_close(&json, ']');
    if (memory)
        memory_json(memory, &json);
    cli_json_close(&json, '}');
}

/* ---- profiles ----------------------------------------------------------------------------- */

enum pto_status cli_profiles_text(struct pto_buf *out, struct pto_diags *diags)
{
    pto_buf_printf(out, "%-6s %5s %6s %8s", "name", "cores", "vector", "MHz");
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
        pto_buf_printf(out, " %7s", pto_space_name((enum pto_space)space));
    pto_buf_printf(out, " %9s %9s %9s\n", "GM GB/s", "link GB/s", "link ns");
    for (const char *const *name = pto_profile_names(); *name; name++) {
        struct pto_profile p;

        PTO_TRY(pto_profile_load(*name, &p, diags));
        pto_buf_printf(out, "%-6s %5u %6u %8.0f", p.name, p.cores, p.vectors_per_core,
                       (double)p.clock_khz / 1e3);
        for (unsigned space = 0; space < PTO_SPACE_COUNT; space++)
            pto_buf_printf(out, " %7u", p.capacity[space]);
        pto_buf_printf(out, " %9.1f %9.1f %9.1f\n", (double)p.gm_bytes_per_us / 1e3,
                       (double)p.link_bytes_per_us / 1e3, (double)p.link_latency_ps / 1e3);
    }
    return PTO_OK;
}
