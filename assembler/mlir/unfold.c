/* What `pto.timg2col` says in attributes: the feature map, its padding and the filter. */
#include <stdlib.h>

#include "mlir/lower.h"

enum { NEEDED = -1 };

/* In the order of the operands that they become: six are one number. */
static const struct {
    const char *key;
    int absent;
} GEOMETRY[] = {
    {"fmap_h", NEEDED}, {"fmap_w", NEEDED}, {"pad_left", 0},   {"pad_right", 0},
    {"pad_top", 0},     {"pad_bottom", 0},  {"kernel_h", NEEDED}, {"kernel_w", NEEDED},
    {"stride_h", 1},    {"stride_w", 1},    {"dilation_h", 1}, {"dilation_w", 1},
};
enum { KEYS = sizeof GEOMETRY / sizeof *GEOMETRY, OF_THE_MAP = 6 };

static bool read_key(struct mlir_lower *l, struct mlir_node *op, unsigned which, int64_t *value)
{
    const struct mlir_node *node = mlir_attribute(op, GEOMETRY[which].key);

    *value = GEOMETRY[which].absent;
    if (node && node->kind == MLIR_INT)
        *value = strtoll(node->text, NULL, 0);
    if (node ? node->kind == MLIR_INT && *value >= 0 : *value != NEEDED)
        return true;
    mlir_refuse(l, op, node ? node : op, node ? "'%s' is a number, not less than 0"
                                              : "'pto.timg2col' lacks its attribute '%s'",
                GEOMETRY[which].key);
    return false;
}

bool mlir_unfold(struct mlir_lower *l, struct mlir_node *op, struct mlir_scalar *number)
{
    int64_t value[KEYS];

    for (unsigned i = 0; i < KEYS; i++)
        if (!read_key(l, op, i, &value[i]))
            return false;
    number[0].text = pto_arena_printf(
        l->arena, "fmatrix(%lld, %lld, %lld, %lld, %lld, %lld)", (long long)value[0],
        (long long)value[1], (long long)value[2], (long long)value[3], (long long)value[4],
        (long long)value[5]);
    for (unsigned i = OF_THE_MAP; i < KEYS; i++)
        number[i - OF_THE_MAP + 1] = mlir_int(l, value[i]);
    return true;
}
