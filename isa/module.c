#include "module.h"

#include <string.h>

#define SYS(id, number, name) [PTO_SYS_##id] = name,
static const char *const sys_names[PTO_SYS_COUNT] = {
#include "sys.def"
};
#undef SYS

const char *pto_sys_name(enum pto_sys sys)
{
    return sys_names[sys];
}

int pto_sys_find(const char *name)
{
    for (int i = 0; i < PTO_SYS_COUNT; i++)
        if (!strcmp(name, sys_names[i]))
            return i;
    return -1;
}

bool pto_scalar_same(const struct pto_scalar *a, const struct pto_scalar *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case PTO_S_REG:
    case PTO_S_SYS:
        return a->reg == b->reg;
    case PTO_S_NONE:
        return true;
    default:
        return a->i == b->i; /* the bits of a float, too */
    }
}

/* Rows and columns are below 2^32 and an element has at most 8 bytes: the product may pass 2^64 on
 * a hostile shape and then counts as 2^64 - 1, which no space holds. */
uint64_t pto_tile_bytes(const struct pto_tile *tile)
{
    uint64_t elements = (uint64_t)tile->rows * tile->cols;
    uint64_t bytes, each = pto_dtype_size(tile->dtype);

    if (tile->pitch && elements) { /* up to the last element of the last line, or of fractals */
        bool by_cols = pto_layouts[tile->layout].columns_first;
        uint32_t line = by_cols ? tile->rows : tile->cols, lines = by_cols ? tile->cols
                                                                           : tile->rows;
        unsigned box[2];

        pto_fractal(tile->layout, tile->space, (unsigned)each, &box[0], &box[1]);
        elements = (uint64_t)((lines - 1) / box[by_cols]) * tile->pitch + line;
        each *= box[by_cols];
    }
    if (__builtin_mul_overflow(elements, each, &bytes))
        return UINT64_MAX;
    return bytes;
}

uint64_t pto_tile_offset(const struct pto_tile *tile, uint32_t row, uint32_t col)
{
    const struct pto_layout_info *layout = &pto_layouts[tile->layout];
    unsigned rows, cols;
    uint64_t block, in_row, in_col;

    if (tile->pitch && pto_layout_is_plain(tile->layout))
        return layout->columns_first ? (uint64_t)tile->pitch * col + row
                                     : (uint64_t)tile->pitch * row + col;
    pto_fractal(tile->layout, tile->space, pto_dtype_size(tile->dtype), &rows, &cols);
    in_row = row % rows;
    in_col = col % cols;
    if (layout->columns_first)
        block = (uint64_t)((tile->pitch ? tile->pitch : tile->rows) / rows) * (col / cols) +
                row / rows;
    else
        block = (uint64_t)((tile->pitch ? tile->pitch : tile->cols) / cols) * (row / rows) +
                col / cols;
    return block * rows * cols +
           (layout->box == PTO_BOX_TALL ? in_col * rows + in_row : in_row * cols + in_col);
}

/* Elements of local arrays are registers, not typed memory: they do not count. */
unsigned pto_insn_types(const struct pto_kernel *kernel, const struct pto_core_code *core,
                        const struct pto_insn *insn, uint8_t *dtypes)
{
    const struct pto_op_info *info = pto_op_info(insn->op);
    unsigned count = 0;

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++) {
        const struct pto_operand *operand = &insn->operand[i];

        if (info->operand[i].access & PTO_SCRATCH)
            continue;
        if (operand->kind == PTO_O_TILE && core && operand->tile.tile < core->tiles)
            dtypes[count++] = core->tile[operand->tile.tile].dtype;
        if (operand->kind == PTO_O_GM && operand->gm.object < kernel->objects)
            dtypes[count++] = kernel->object[operand->gm.object].dtype;
    }
    return count;
}

void pto_module_free(struct pto_module *module)
{
    pto_arena_free(&module->arena);
    *module = (struct pto_module){0};
}
