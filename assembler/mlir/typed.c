/* Types that are written beside values: they have to be those that the values have. */
#include <inttypes.h>
#include <string.h>

#include "mlir/carry.h"

/* ---- do they agree? ---- */

static bool is_side(int64_t written, const struct mlir_scalar *side)
{
    return written == MLIR_DYNAMIC || !side->is_const || written == side->i;
}

static bool has_sides(const struct mlir_type *type, unsigned rank, const struct mlir_scalar *side)
{
    if (type->rank != rank)
        return false;
    for (unsigned i = 0; i < rank; i++)
        if (!is_side(type->dim[i], &side[i]))
            return false;
    return true;
}

static bool fits_tile(const struct mlir_type *type, const struct mlir_value *value)
{
    const struct mlir_type *made = &value->type;

    return mlir_type_same(type, made) && type->pad == made->pad &&
           (type->layout == made->layout || type->layout_by_space) &&
           is_side(type->valid_rows, &value->tile.rows) &&
           is_side(type->valid_cols, &value->tile.cols);
}

static bool fits(const struct mlir_type *type, const struct mlir_value *value)
{
    switch (value->kind) {
    case MLIR_V_SCALAR:
        return type->kind == (value->scalar.is_float ? MLIR_T_FLOAT : MLIR_T_INT) &&
               type->bits == value->scalar.bits &&
               (!value->scalar.is_float || type->dtype == value->scalar.dtype);
    case MLIR_V_PTR:
        return type->kind == MLIR_T_PTR && type->dtype == value->type.dtype;
    case MLIR_V_VIEW:
        return type->kind == MLIR_T_VIEW && !type->is_part && type->dtype == value->view.dtype &&
               has_sides(type, value->view.rank, value->view.dim);
    case MLIR_V_PART:
        return type->kind == MLIR_T_VIEW && type->is_part &&
               type->dtype == value->part.view->dtype &&
               has_sides(type, value->part.view->rank, value->part.size);
    case MLIR_V_TILE:
    case MLIR_V_TILES:
        return fits_tile(type, value);
    case MLIR_V_ARRAY:
        return mlir_type_same(type, &value->type);
    case MLIR_V_COUNTS:
        return type->kind == MLIR_T_COUNTS;
    case MLIR_V_CHOICE:
        return fits(type, value->choice.yes) && fits(type, value->choice.no);
    default:
        return true;
    }
}

/* ---- what it is ---- */

static const char *dims_text(struct mlir_lower *l, unsigned rank, const struct mlir_scalar *side)
{
    struct pto_buf text = {0};
    const char *copy;

    for (unsigned i = 0; i < rank; i++)
        if (side[i].is_const)
            pto_buf_printf(&text, "%" PRId64 "x", side[i].i);
        else
            pto_buf_printf(&text, "?x");
    copy = pto_arena_strdup(l->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

static const char *tile_text(struct mlir_lower *l, const struct mlir_value *value)
{
    const struct mlir_scalar sides[2] = {value->tile.rows, value->tile.cols};
    const char *valid = dims_text(l, 2, sides);

    return pto_arena_printf(
        l->arena, "a tile_buf of %s in %s, %" PRId64 "x%" PRId64 "x%s with %.*s valid",
        value->type.layout_by_space ? "a layout of its place"
                                    : pto_layout_name((enum pto_layout)value->type.layout),
        pto_space_name((enum pto_space)value->type.space), value->type.rows, value->type.cols,
        mlir_element_name(value->type.dtype), (int)strlen(valid) - 1, valid);
}

/* As upstream writes its type. */
static const char *described(struct mlir_lower *l, const struct mlir_value *value)
{
    switch (value->kind) {
    case MLIR_V_SCALAR:
        if (value->scalar.is_float)
            return pto_arena_printf(l->arena, "a number of %s",
                                    mlir_element_name(value->scalar.dtype));
        return pto_arena_printf(l->arena, "an integer of %u bits", value->scalar.bits);
    case MLIR_V_PTR:
        return pto_arena_printf(l->arena, "!pto.ptr<%s>", mlir_element_name(value->type.dtype));
    case MLIR_V_VIEW:
        return pto_arena_printf(l->arena, "!pto.tensor_view<%s%s>",
                                dims_text(l, value->view.rank, value->view.dim),
                                mlir_element_name(value->view.dtype));
    case MLIR_V_PART:
        return pto_arena_printf(l->arena, "!pto.partition_tensor_view<%s%s>",
                                dims_text(l, value->part.view->rank, value->part.size),
                                mlir_element_name(value->part.view->dtype));
    case MLIR_V_TILES:
        return pto_arena_printf(l->arena, "%" PRIu32 " tiles, each %s", value->type.count,
                                tile_text(l, value));
    case MLIR_V_ARRAY:
        return "another local_array";
    case MLIR_V_COUNTS:
        return "a vector<4xi16>";
    case MLIR_V_CHOICE:
        return described(l, value->choice.yes);
    default:
        return tile_text(l, value);
    }
}

/* ---- lists of them ---- */

bool mlir_read_type(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node **at,
                    struct mlir_type *type)
{
    if (mlir_type_read(l->tree, at, type))
        return true;
    op->broken = true;
    l->errors++;
    return false;
}

bool mlir_check_type(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name,
                     const struct mlir_node **types, const struct mlir_value *value)
{
    const struct mlir_node *at = *types;
    struct mlir_type type;
    struct pto_diag *diag;

    if (!mlir_read_type(l, op, types, &type))
        return false;
    if (!value || value->kind == MLIR_V_BROKEN || fits(&type, value))
        return true;
    diag = name ? mlir_refuse(l, op, name, "'%%%s' was given another type where it was made",
                              name->text)
                : mlir_refuse(l, op, at, "this is not the type of the value");
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "it is %s", described(l, value));
    return false;
}

static bool next_type(const struct mlir_node **types)
{
    if (!mlir_is(*types, MLIR_SIGN, ","))
        return false;
    *types = (*types)->next;
    return *types != NULL;
}

bool mlir_check_types(struct mlir_lower *l, struct mlir_node *op, const struct mlir_args *args)
{
    const struct mlir_node *types = args->types, *first = types;

    if (!types)
        return true;
    for (unsigned i = 0; i < args->values; i++) {
        const struct mlir_node *name = args->value[i]->kind == MLIR_SSA ? args->value[i] : NULL;

        if (i && !next_type(&types)) {
            mlir_refuse(l, op, types ? types : first, "%u types are expected here, as there are "
                        "%u values", args->values, args->values);
            return false;
        }
        if (!mlir_check_type(l, op, name, &types, name ? mlir_bound(l, name->text) : NULL))
            return false;
    }
    if (!mlir_is(types, MLIR_SIGN, ","))
        return true;
    mlir_refuse(l, op, types, "more types than the %u values are written here", args->values);
    return false;
}

bool mlir_check_list(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                     struct mlir_value *const *value, unsigned count)
{
    const struct mlir_node *types = list;
    unsigned at = 0;

    if (list && list->kind == MLIR_PAREN)
        types = list->first;
    while (types && types->kind != MLIR_REGION && types->kind != MLIR_BRACE) {
        if (!mlir_check_type(l, op, NULL, &types, at < count ? value[at] : NULL))
            return false;
        at++;
        if (!next_type(&types))
            break;
    }
    if (at == count)
        return true;
    mlir_refuse(l, op, list ? list : op, "%u types are written here, of %u values", at, count);
    return false;
}

/* Operand `number` of an operation: the names before its ':'. */
static const struct mlir_node *operand(const struct mlir_node *op, unsigned number)
{
    for (const struct mlir_node *node = op->first; node && !mlir_is(node, MLIR_SIGN, ":");
         node = node->next)
        if ((node->kind == MLIR_SSA || node->kind == MLIR_INT) && number-- == 0)
            return node;
    return NULL;
}

/* Hold a type against all that it is said to be of. */
static bool check_group(struct mlir_lower *l, struct mlir_node *op, const char *group,
                        const struct mlir_node **types)
{
    const struct mlir_node *at = *types;

    for (; *group && *group != ' '; group++) {
        const struct mlir_node *name = *group == 'r' ? op->result
                                                     : operand(op, (unsigned)(*group - '0'));
        const struct mlir_value *value = name && name->kind == MLIR_SSA
                                             ? mlir_bound(l, name->text) : NULL;

        *types = at;
        if (!mlir_check_type(l, op, *group == 'r' ? NULL : name, types, value))
            return false;
    }
    return true;
}

static unsigned count_operands(const struct mlir_node *op)
{
    unsigned count = 0;

    while (operand(op, count))
        count++;
    return count;
}

void mlir_check_written(struct mlir_lower *l, struct mlir_node *op, const char *types)
{
    const struct mlir_node *at = op->first;
    char each[2 * MLIR_CARRIED + 1] = "";

    while (at && !mlir_is(at, MLIR_SIGN, ":"))
        at = at->next;
    for (unsigned i = 0; *types == '*' && i < count_operands(op) && i < MLIR_CARRIED; i++) {
        each[2 * i] = (char)('0' + i);
        each[2 * i + 1] = ' ';
    }
    types = *types == '*' ? each : types;
    at = at ? at->next : NULL;
    while (at && *types) {
        if (!check_group(l, op, types, &at))
            return;
        types += strcspn(types, " ");
        types += *types == ' ';
        if (!*types || (!mlir_is(at, MLIR_SIGN, ",") && !mlir_is(at, MLIR_SIGN, "->") &&
                        !mlir_is(at, MLIR_WORD, "to")))
            break;
        at = at->next;
    }
    if (at && *types)
        mlir_refuse(l, op, at, "a type is missing here");
    else if (mlir_is(at, MLIR_SIGN, ","))
        mlir_refuse(l, op, at, "more types than values are written here");
}
