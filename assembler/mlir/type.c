#include "mlir/type.h"

#include <stdlib.h>
#include <string.h>

#include "space.h"

/* Words of upstream for our element types; `si` and `i` are the same here. */
static const struct {
    const char *name;
    uint8_t dtype;
} ELEMENT[] = {
    {"f32", PTO_F32},         {"f16", PTO_F16},           {"bf16", PTO_BF16},
    {"f8E4M3FN", PTO_F8E4M3}, {"f8E4M3", PTO_F8E4M3},     {"f8E5M2", PTO_F8E5M2},
    {"f8E8M0FNU", PTO_E8M0}, {"f8E8M0", PTO_E8M0}, {"f4E2M1x2", PTO_F4E2M1X2},
    {"f4E1M2x2", PTO_F4E1M2X2},
    {"i8", PTO_I8},           {"si8", PTO_I8},            {"ui8", PTO_U8},
    {"i16", PTO_I16},         {"si16", PTO_I16},          {"ui16", PTO_U16},
    {"i32", PTO_I32},         {"si32", PTO_I32},          {"ui32", PTO_U32},
    {"i64", PTO_I64},         {"si64", PTO_I64},          {"ui64", PTO_U64},
};

static const struct {
    const char *name;
    uint8_t space;
} PLACE[] = {
    {"vec", PTO_UB},   {"mat", PTO_L1},  {"left", PTO_L0A},   {"right", PTO_L0B},
    {"acc", PTO_L0C},  {"bias", PTO_BT}, {"scaling", PTO_FB},
};

static int dtype_find(const char *name)
{
    for (unsigned i = 0; i < sizeof ELEMENT / sizeof *ELEMENT; i++)
        if (!strcmp(ELEMENT[i].name, name))
            return ELEMENT[i].dtype;
    return -1;
}

const char *mlir_element_name(unsigned dtype)
{
    for (unsigned i = 0; i < sizeof ELEMENT / sizeof *ELEMENT; i++)
        if (ELEMENT[i].dtype == dtype)
            return ELEMENT[i].name;
    return dtype == MLIR_F64 ? "f64" : "?";
}

unsigned mlir_real_bits(unsigned dtype)
{
    return dtype == MLIR_F64 ? 64 : 8 * pto_dtype_size((enum pto_dtype)dtype);
}

static bool is_sign(const struct mlir_node *node, const char *sign)
{
    return node && node->kind == MLIR_SIGN && !strcmp(node->text, sign);
}

/* ---- scalars ---- */

static bool scalar_type(const char *name, struct mlir_type *type)
{
    int dtype = dtype_find(name);

    if (!strcmp(name, "index") || !strcmp(name, "i1")) {
        *type = (struct mlir_type){.kind = MLIR_T_INT, .dtype = PTO_I64,
                                   .bits = name[1] == '1' ? 1 : 64};
        return true;
    }
    if (!strcmp(name, "f64")) {
        *type = (struct mlir_type){.kind = MLIR_T_FLOAT, .dtype = MLIR_F64, .bits = 64};
        return true;
    }
    if (dtype < 0)
        return false;
    type->kind = pto_dtype_is_float((enum pto_dtype)dtype) ? MLIR_T_FLOAT : MLIR_T_INT;
    type->dtype = (uint8_t)dtype;
    type->bits = (uint8_t)(8 * pto_dtype_size((enum pto_dtype)dtype));
    return true;
}

/* ---- tiles ---- */

/* 16x64xf32, 16x?, ?x1: two sides, and the element type behind them. */
static bool read_dims(const char *text, int64_t *rows, int64_t *cols, const char **rest)
{
    int64_t *side[2] = {rows, cols};

    for (unsigned i = 0; i < 2; i++) {
        char *end;

        if (*text == '?') {
            *side[i] = MLIR_DYNAMIC;
            end = (char *)text + 1;
        } else {
            *side[i] = strtoll(text, &end, 10);
            if (end == text || *side[i] < 0 || *side[i] > 65535)
                return false;
        }
        if (i == 0 && *end++ != 'x')
            return false;
        text = end;
    }
    *rest = *text == 'x' ? text + 1 : text;
    return true;
}

enum {
    MOST_TILES = 16,      /* of a multi_tile_buf, upstream's limit */
    MOST_ELEMENTS = 65536 /* of an array */
};

/* What a tile type says, before it is put together. */
struct tile_words {
    bool column_major, boxed, boxed_columns;
};

static bool tile_number(const struct mlir_node *value, int64_t *number)
{
    if (is_sign(value, "?")) {
        *number = MLIR_DYNAMIC;
        return true;
    }
    if (value->kind != MLIR_INT)
        return false;
    *number = strtoll(value->text, NULL, 0);
    return *number >= 0 && *number <= 65535;
}

static bool tile_place(const struct mlir_node *value, struct mlir_type *type)
{
    for (unsigned i = 0; i < sizeof PLACE / sizeof *PLACE; i++)
        if (!strcmp(PLACE[i].name, value->text)) {
            type->space = PLACE[i].space;
            return true;
        }
    return false;
}

static bool tile_element(const char *name, struct mlir_type *type)
{
    int dtype = dtype_find(name);

    type->dtype = (uint8_t)dtype;
    return dtype >= 0;
}

static bool tile_key(const char *key, const struct mlir_node *value, struct mlir_type *type,
                     struct tile_words *words)
{
    const char *rest;
    int64_t number = 0;

    if (!strcmp(key, "loc"))
        return tile_place(value, type);
    if (!strcmp(key, "dtype"))
        return tile_element(value->text, type);
    if (!strcmp(key, "rows"))
        return tile_number(value, &type->rows) && type->rows > 0;
    if (!strcmp(key, "cols"))
        return tile_number(value, &type->cols) && type->cols > 0;
    if (!strcmp(key, "v_row"))
        return tile_number(value, &type->valid_rows);
    if (!strcmp(key, "v_col"))
        return tile_number(value, &type->valid_cols);
    if (!strcmp(key, "valid"))
        return value->kind == MLIR_DIMS &&
               read_dims(value->text, &type->valid_rows, &type->valid_cols, &rest) && !*rest;
    if (!strcmp(key, "blayout")) {
        words->column_major = !strcmp(value->text, "col_major");
        return words->column_major || !strcmp(value->text, "row_major");
    }
    if (!strcmp(key, "slayout")) {
        words->boxed_columns = !strcmp(value->text, "col_major");
        words->boxed = words->boxed_columns || !strcmp(value->text, "row_major");
        return words->boxed || !strcmp(value->text, "none_box");
    }
    if (!strcmp(key, "fractal") || !strcmp(key, "compact"))
        return value->kind == MLIR_INT || value->kind == MLIR_WORD;
    if (!strcmp(key, "count")) {
        type->count = value->kind == MLIR_INT ? (uint32_t)strtoul(value->text, NULL, 0) : 0;
        return type->count >= 2 && type->count <= MOST_TILES;
    }
    if (strcmp(key, "pad") != 0 || !tile_number(value, &number) || number < 0 || number > 3)
        return false;
    type->pad = (uint8_t)number;
    return true;
}

static bool tile_error(struct mlir_text *t, const struct mlir_node *node)
{
    mlir_error(t, node, "'%s' was not expected in a tile_buf", node->text);
    return false;
}

static bool count_error(struct mlir_text *t, const struct mlir_node *node)
{
    mlir_error(t, node, "a multi_tile_buf has 2 to %d tiles", MOST_TILES);
    return false;
}

/* The compact spelling begins `vec, 16x64xf32`, the keyed one has `key=value` throughout. */
static bool tile_words(struct mlir_text *t, const struct mlir_node *inside,
                       struct mlir_type *type, struct tile_words *words)
{
    const char *rest;

    if (inside && inside->kind == MLIR_WORD && is_sign(inside->next, ",")) {
        const struct mlir_node *dims = inside->next->next;

        if (!tile_place(inside, type))
            return tile_error(t, inside);
        if (!dims || dims->kind != MLIR_DIMS ||
            !read_dims(dims->text, &type->rows, &type->cols, &rest) || type->rows <= 0 ||
            type->cols <= 0 || !tile_element(rest, type))
            return tile_error(t, dims ? dims : inside);
        inside = dims->next;
        type->valid_rows = type->rows;
        type->valid_cols = type->cols;
        if (inside && !is_sign(inside, ","))
            return tile_error(t, inside);
        inside = inside ? inside->next : NULL;
    }
    while (inside) {
        const struct mlir_node *value = is_sign(inside->next, "=") ? inside->next->next : NULL;

        if (inside->kind != MLIR_WORD || !value)
            return tile_error(t, inside);
        if (!tile_key(inside->text, value, type, words))
            return strcmp(inside->text, "count") != 0 ? tile_error(t, value)
                                                      : count_error(t, value);
        inside = value->next;
        if (inside && !is_sign(inside, ","))
            return tile_error(t, inside);
        inside = inside ? inside->next : NULL;
    }
    return true;
}

/* The layout is written as that of blocks and that inside of them; those of the L0 memories follow
 * from the machine, whatever is written (upstream overrides them as well). */
static bool tile_layout(struct mlir_type *type, const struct tile_words *words)
{
    if (type->dtype == PTO_E8M0) { /* scales lie here as rows, whatever fractals they are there */
        if (type->space == PTO_FB && words->boxed)
            type->space = words->boxed_columns ? PTO_L0B_MX : PTO_L0A_MX;
        type->layout = PTO_ND;
        return true;
    }
    type->layout_by_space = type->space == PTO_L0A || type->space == PTO_L0B ||
                            type->space == PTO_L0C;
    if (!words->boxed)
        type->layout = words->column_major ? PTO_DN : PTO_ND;
    else if (words->boxed_columns)
        type->layout = PTO_ZN;
    else
        type->layout = words->column_major ? PTO_NZ : PTO_ZZ;
    return !(words->boxed_columns && words->column_major) || type->layout_by_space;
}

static bool tile_type(struct mlir_text *t, const struct mlir_node *name,
                      const struct mlir_node *group, struct mlir_type *type)
{
    struct tile_words words = {0};

    *type = (struct mlir_type){.kind = MLIR_T_TILE, .dtype = UINT8_MAX, .space = UINT8_MAX,
                               .valid_rows = INT64_MIN, .valid_cols = INT64_MIN};
    if (!tile_words(t, group->first, type, &words))
        return false;
    if (type->dtype == UINT8_MAX || type->space == UINT8_MAX || !type->rows || !type->cols) {
        mlir_error(t, name, "this tile_buf lacks its place, element type, rows or columns");
        return false;
    }
    if (type->valid_rows == INT64_MIN)
        type->valid_rows = type->rows;
    if (type->valid_cols == INT64_MIN)
        type->valid_cols = type->cols;
    if (type->valid_rows > type->rows || type->valid_cols > type->cols) {
        mlir_error(t, name, "the valid region of this tile_buf is larger than the tile");
        return false;
    }
    if (!tile_layout(type, &words)) {
        mlir_error(t, name, "tiles with columns of column-major blocks are not taken");
        return false;
    }
    return true;
}

static bool has_count(struct mlir_text *t, const struct mlir_node *name,
                      const struct mlir_type *type)
{
    if (!type->count)
        mlir_error(t, name, "this multi_tile_buf lacks its 'count'");
    return type->count;
}

static bool has_no_count(struct mlir_text *t, const struct mlir_node *name,
                         const struct mlir_type *type)
{
    if (type->count)
        mlir_error(t, name, "a tile_buf is one tile: several are a multi_tile_buf");
    return !type->count;
}

/* `multi_tile_buf<TYPE, count=2>`, or `count=2` among the words of the type itself. */
static bool multi_type(struct mlir_text *t, const struct mlir_node *name,
                       const struct mlir_node *group, struct mlir_type *type)
{
    const struct mlir_node *at = group->first;
    struct tile_words words = {0};

    if (!at || at->kind != MLIR_TYPE)
        return tile_type(t, name, group, type) && has_count(t, name, type);
    if (!mlir_type_read(t, &at, type))
        return false;
    if (type->kind != MLIR_T_TILE || type->count || !is_sign(at, ",")) {
        mlir_error(t, name, "'!pto.multi_tile_buf<TILE_BUF, count=N>' was expected");
        return false;
    }
    return tile_words(t, at->next, type, &words) && has_count(t, name, type);
}

/* ---- all types ---- */

/* `16x?xf32`, or an element type alone, into dimensions and the rest; NULL: too many of them. */
static const char *view_dims(const struct mlir_node *node, struct mlir_type *type)
{
    const char *text = node->text;

    while (node->kind == MLIR_DIMS && (*text == '?' || (*text >= '0' && *text <= '9'))) {
        char *end = (char *)text + 1;

        if (type->rank == MLIR_MAX_RANK)
            return NULL;
        type->dim[type->rank++] = *text == '?' ? MLIR_DYNAMIC : strtoll(text, &end, 10);
        if (*end != 'x')
            return NULL;
        text = end + 1;
    }
    return text;
}

/* `local_array<8x8xf32>` */
static bool array_type(struct mlir_text *t, const struct mlir_node *name,
                       const struct mlir_node *group, struct mlir_type *type)
{
    const char *element = group->first ? view_dims(group->first, type) : NULL;
    struct mlir_type scalar = {0};
    int64_t count = 1;

    for (unsigned i = 0; i < type->rank && count > 0; i++)
        count = type->dim[i] > MOST_ELEMENTS ? -1 : count * type->dim[i];
    if (!element || group->first->next || !type->rank || !scalar_type(element, &scalar)) {
        mlir_error(t, name, "'!pto.local_array<NxTYPE>' was expected");
        return false;
    }
    if (count < 1 || count > MOST_ELEMENTS) {
        mlir_error(t, name, "an array has 1 to %d elements", MOST_ELEMENTS);
        return false;
    }
    type->kind = MLIR_T_ARRAY;
    type->is_float = scalar.kind == MLIR_T_FLOAT;
    type->dtype = scalar.dtype;
    type->bits = scalar.bits;
    return true;
}

static bool pto_type(struct mlir_text *t, const struct mlir_node *name,
                     const struct mlir_node *group, struct mlir_type *type)
{
    const char *element;
    bool pointer = !strcmp(name->text, "pto.ptr");
    bool view = !strcmp(name->text, "pto.tensor_view") ||
                !strcmp(name->text, "pto.partition_tensor_view");

    *type = (struct mlir_type){.kind = MLIR_T_OTHER};
    if (!strcmp(name->text, "pto.tile_buf") && group)
        return tile_type(t, name, group, type) && has_no_count(t, name, type);
    if (!strcmp(name->text, "pto.local_array") && group)
        return array_type(t, name, group, type);
    if (!strcmp(name->text, "pto.multi_tile_buf") && group)
        return multi_type(t, name, group, type);
    if (!strcmp(name->text, "pto.vreg") || !strcmp(name->text, "pto.mask") ||
        !strcmp(name->text, "pto.vmi.vreg")) {
        mlir_error(t, name, "files with vector registers (VPTO) are not taken");
        return false;
    }
    if (!strcmp(name->text, "pto.tile_view") || !strcmp(name->text, "pto.tile")) {
        mlir_error(t, name, "'!%s' belongs to a legacy form, which is not taken", name->text);
        return false;
    }
    if (!pointer && !view)
        return true;
    element = group && group->first ? view_dims(group->first, type) : NULL;
    if (!element || !tile_element(element, type) || (view && group->first->next)) {
        mlir_error(t, group && group->first ? group->first : name,
                   "this is no element type that is known here");
        return false;
    }
    if (pointer && group->first->next &&
        strcmp(group->first->next->next ? group->first->next->next->text : "", "gm") != 0) {
        mlir_error(t, name, "pointers into on-chip memory (VPTO) are not taken");
        return false;
    }
    type->kind = pointer ? MLIR_T_PTR : MLIR_T_VIEW;
    type->is_part = !strcmp(name->text, "pto.partition_tensor_view");
    return true;
}

/* The only vector that tile operations have. */
static bool is_counts(const struct mlir_node *name, const struct mlir_node *group)
{
    return name->kind == MLIR_WORD && !strcmp(name->text, "vector") && group && group->first &&
           !strcmp(group->first->text, "4xi16") && !group->first->next;
}

bool mlir_type_read(struct mlir_text *t, const struct mlir_node **at, struct mlir_type *type)
{
    const struct mlir_node *name = *at, *group;

    *type = (struct mlir_type){.kind = MLIR_T_OTHER};
    if (!name)
        return false;
    group = mlir_resolve(t, name);
    if (group != name) {
        *at = name->next;
        return mlir_type_read(t, &group, type);
    }
    if (name->kind == MLIR_ANGLE) { /* `<f32>`, as upstream prints the pointers of `pto.addptr` */
        static const struct mlir_node pointer = {.kind = MLIR_TYPE, .text = "pto.ptr"};

        *at = name->next;
        return pto_type(t, &pointer, name, type);
    }
    group = name->next && name->next->kind == MLIR_ANGLE ? name->next : NULL;
    *at = group ? group->next : name->next;
    if (name->kind == MLIR_TYPE)
        return pto_type(t, name, group, type);
    if (name->kind == MLIR_WORD && !group && scalar_type(name->text, type))
        return true;
    if (is_counts(name, group)) {
        type->kind = MLIR_T_COUNTS;
        return true;
    }
    mlir_error(t, name, "the type '%s' is not taken", name->text);
    return false;
}

bool mlir_type_same(const struct mlir_type *a, const struct mlir_type *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == MLIR_T_TILE)
        return a->space == b->space && a->dtype == b->dtype && a->rows == b->rows &&
               a->cols == b->cols && a->count == b->count;
    if (a->kind == MLIR_T_ARRAY)
        return a->dtype == b->dtype && a->bits == b->bits && a->rank == b->rank &&
               !memcmp(a->dim, b->dim, a->rank * sizeof *a->dim);
    if (a->kind == MLIR_T_INT)
        return a->bits == b->bits;
    return a->kind == MLIR_T_OTHER || a->kind == MLIR_T_COUNTS || a->dtype == b->dtype;
}
