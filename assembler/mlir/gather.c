/* Rows and elements of a table in global memory by their numbers: `pto.mgather`, `pto.mscatter`. */
#include <string.h>

#include "mlir/lower.h"

/* `{key = #pto<key word>}`: the keyword of this language behind a comma; "": none is said; NULL
 * after an error. */
static const char *keyword(struct mlir_lower *l, struct mlir_node *op, const char *key,
                           const char *const (*words)[2])
{
    const struct mlir_node *said = mlir_attribute(op, key);
    const char *word = said ? mlir_enum_word(said) : "";

    if (!said)
        return "";
    for (unsigned i = 0; words[i][0]; i++)
        if (!strcmp(words[i][0], word))
            return words[i][1];
    mlir_refuse(l, op, said, "'%s' is no '%s' of '%s' that is taken", word, key, op->text);
    return NULL;
}

/* Rows or elements: what the operation says, else as there are numbers for. */
static const char *unit_of(struct mlir_lower *l, struct mlir_node *op, const struct mlir_value *idx)
{
    static const char *const words[][2] = {{"row", ", row"}, {"elem", ", elem"}, {NULL, NULL}};
    const char *unit = keyword(l, op, "coalesce", words);

    if (!unit || *unit)
        return unit;
    return mlir_is_one(&idx->tile.rows) || mlir_is_one(&idx->tile.cols) ? ", row" : ", elem";
}

/* The table, as a window with its extent; NULL after an error. */
static const char *table_of(struct mlir_lower *l, struct mlir_node *op,
                            const struct mlir_node *name)
{
    struct mlir_value *value = mlir_find(l, op, name);
    struct mlir_window window;
    struct mlir_part part;
    unsigned row, col;

    if (!value)
        return NULL;
    if (value->kind != MLIR_V_PART && value->kind != MLIR_V_VIEW) {
        mlir_refuse(l, op, name, "'%s' wants a partition_tensor_view here", op->text);
        return NULL;
    }
    part = mlir_part_of(l, value);
    if (!mlir_sides_of(&part, &row, &col)) {
        mlir_refuse(l, op, name, "a table has rows and columns, no more");
        return NULL;
    }
    if (!mlir_use_object(l, op, part.view->base.object, MLIR_OWN) ||
        !mlir_window_of(l, op, &part, row, col, &window))
        return NULL;
    return pto_arena_printf(l->arena, "%s{%s, %s}", window.text, window.rows.text,
                            window.cols.text);
}

/* The values of one group, so many; false after an error. */
static bool read_values(struct mlir_lower *l, struct mlir_node *op, const char *word,
                        unsigned count, struct mlir_args *args)
{
    if (!mlir_read_group(l, op, word, args))
        return false;
    if (args->values == count)
        return mlir_check_types(l, op, args);
    mlir_refuse(l, op, mlir_clause(op, word), "'%s' wants %s", op->text,
                !strcmp(op->text, "pto.mgather")
                    ? "ins(TABLE, NUMBERS) outs(TILE), numbers and result in vec"
                    : "ins(TILE, NUMBERS) outs(TABLE), tile and numbers in vec");
    return false;
}

bool mlir_table_access_op(struct mlir_lower *l, struct mlir_node *op)
{
    static const char *const outside[][2] = {{"undefined", ", fault"}, {"clamp", ", clamp"},
                                             {"wrap", ", wrap"}, {"zero", ", zero"},
                                             {"skip", ", skip"}, {NULL, NULL}};
    static const char *const atomic[][2] = {{"none", ""}, {"add", ", atomic_add"},
                                            {"max", ", atomic_max"}, {"min", ", atomic_min"},
                                            {NULL, NULL}};
    static const char *const conflict[][2] = {{"last", ""}, {NULL, NULL}};
    bool gathers = !strcmp(op->text, "pto.mgather");
    const char *unit, *beyond, *adds = "", *table;
    struct mlir_value *tile, *idx;
    struct mlir_args in, out;

    if (!gathers && strcmp(op->text, "pto.mscatter") != 0)
        return false;
    if (!read_values(l, op, "ins", 2, &in) || !read_values(l, op, "outs", 1, &out))
        return true;
    table = table_of(l, op, gathers ? in.value[0] : out.value[0]);
    tile = table ? mlir_want(l, op, gathers ? out.value[0] : in.value[0], MLIR_V_TILE) : NULL;
    idx = tile ? mlir_want(l, op, in.value[1], MLIR_V_TILE) : NULL;
    if (!idx)
        return true;
    unit = unit_of(l, op, idx);
    beyond = keyword(l, op, gathers ? "gatherOob" : "scatterOob", outside);
    if (!gathers && keyword(l, op, "scatterConflict", conflict))
        adds = keyword(l, op, "scatterAtomicOp", atomic);
    if (op->broken || !unit || !beyond || !adds)
        return true;
    mlir_line(&l->code, op, gathers ? "MGATHER %s, %s, %s%s%s%s" : "MSCATTER %s, %s, %s%s%s%s",
              gathers ? mlir_tile_text(l, tile, "") : table,
              gathers ? table : mlir_tile_text(l, tile, ""), mlir_tile_text(l, idx, ""), unit, adds,
              beyond);
    return true;
}
