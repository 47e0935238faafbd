/* `name ins(..) outs(..)`: instructions by the table, their operands by the rows of the ISA. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "mlir/operands.h"

static const struct row {
    const char *name, *instruction;
    enum mlir_how how;
} ROW[] = {
#define MLIR_INTEGER(...)
#define MLIR_REAL(...)
#define MLIR_OP(name, instruction, how) {name, instruction, how},
#include "mlir/mlir_ops.def"
#undef MLIR_OP
#undef MLIR_INTEGER
#undef MLIR_REAL
};

enum { UNFOLDED_INS = 3 };

/* Merges write their counts into a vector, which is a tile here. */
static bool is_tile(const struct mlir_value *value, enum mlir_how how)
{
    return value->kind == MLIR_V_TILE || (how == MERGED && value->kind == MLIR_V_COUNTS);
}

/* The values of `ins(..)` or `outs(..)`. */
static bool read_group(struct mlir_lower *l, struct mlir_node *op, const char *word,
                       enum mlir_how how, struct mlir_operands *o)
{
    bool is_in = word[0] == 'i';
    struct mlir_value **value = is_in ? o->in : o->out;
    struct mlir_scalar *number = is_in ? o->number : NULL;
    struct mlir_args args;

    if (!mlir_read_group(l, op, word, &args))
        return false;
    if (args.values > MLIR_WRITTEN) {
        mlir_refuse(l, op, args.value[MLIR_WRITTEN], "'%s' has at most %d operands", op->text,
                    (int)MLIR_WRITTEN);
        return false;
    }
    for (unsigned i = 0; i < args.values; i++) {
        value[i] = NULL;
        if (args.value[i]->kind == MLIR_SSA)
            value[i] = mlir_find(l, op, args.value[i]);
        else if (number && !mlir_number(l, op, args.value[i], &number[i]))
            return false;
        if (op->broken)
            return false;
        if (value[i] && value[i]->kind == MLIR_V_SCALAR && number) {
            number[i] = value[i]->scalar;
            value[i] = NULL;
        } else if (!value[i] ? !number : !is_tile(value[i], number ? PLAIN : how)) {
            mlir_refuse(l, op, args.value[i], "a tile_buf was expected here");
            return false;
        }
    }
    *(is_in ? &o->ins : &o->outs) = args.values;
    o->no_scratch |= args.no_scratch != NULL;
    return mlir_check_types(l, op, &args);
}

/* ---- keywords ---- */

static const char *lower_case(struct mlir_lower *l, const char *text)
{
    char *copy = pto_arena_strdup(l->arena, text);

    for (char *c = copy; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return copy;
}

/* CAST_RINT is rint; upstream rounds so where nothing is said, and NONE means the same there. */
static const char *rounding(struct mlir_lower *l, const struct mlir_node *op)
{
    const struct mlir_node *value = mlir_attribute(op, "rmode");
    const char *word;

    if (!value)
        value = mlir_attribute(op, "roundMode");
    if (!value)
        return "rint";
    word = lower_case(l, mlir_enum_word(value));
    if (!strncmp(word, "cast_", 5))
        word += 5;
    return !strcmp(word, "none") ? "rint" : word;
}

static bool is_true(const struct mlir_node *op, const char *key)
{
    const struct mlir_node *value = mlir_attribute(op, key);

    return value && strcmp(value->text, "false") != 0;
}

/* Which vector sub-cores get what leaves the accumulator. */
static const char *sent_to(const struct mlir_node *op)
{
    const struct mlir_node *value = mlir_attribute(op, "accToVecMode");

    return value ? mlir_enum_word(value) : "single_mode_vec0";
}

/* The keyword of a set; NULL: the operation says none. */
static const char *keyword(struct mlir_lower *l, const struct mlir_node *op, unsigned set,
                           const struct mlir_operands *o)
{
    static const char *const pad[] = {NULL, "zero", "max", "min"};
    const struct mlir_node *value;
    const char *word;

    switch (set) {
    case PTO_ENUM_CMP:
    case PTO_ENUM_MATCH:
        value = mlir_attribute(op, "cmpMode");
        return value ? lower_case(l, mlir_enum_word(value)) : NULL;
    case PTO_ENUM_ROUND:
        return rounding(l, op);
    case PTO_ENUM_SAT:
        value = mlir_attribute(op, "satmode");
        word = value ? mlir_enum_word(value) : NULL;
        return !word ? NULL : !strcmp(word, "ON") ? "sat" : !strcmp(word, "OFF") ? "nosat" : word;
    case PTO_ENUM_RELU:
        value = mlir_attribute(op, "reluPreMode");
        word = value ? mlir_enum_word(value) : "no_relu";
        return !strcmp(word, "no_relu") ? NULL : !strcmp(word, "normal_relu") ? "relu" : word;
    case PTO_ENUM_VECTOR:
        return !strcmp(sent_to(op), "single_mode_vec1") ? "vec1" : NULL;
    case PTO_ENUM_DIRECTION:
        return is_true(op, "descending") ? "descending" : NULL;
    case PTO_ENUM_TRIANGLE:
        value = mlir_attribute(op, "upperOrLower");
        word = value ? value->text : "0";
        return !strcmp(word, "0") ? "lower" : !strcmp(word, "1") ? "upper" : word;
    case PTO_ENUM_SUM_ORDER:
        return is_true(op, "isBinary") ? "binary" : NULL;
    case PTO_ENUM_MASK:
        value = mlir_attribute(op, "maskPattern");
        return value ? mlir_enum_word(value) : NULL;
    case PTO_ENUM_MERGE:
        return is_true(op, "exhausted") ? "exhausted" : NULL;
    case PTO_ENUM_PAD:
        return o->outs ? pad[o->out[0]->type.pad] : NULL;
    default:
        return NULL;
    }
}

/* Attributes by the set that their words are of. */
static const char *key_of(unsigned set)
{
    return set == PTO_ENUM_CMP || set == PTO_ENUM_MATCH ? "cmpMode"
           : set == PTO_ENUM_ROUND ? "rmode"
           : set == PTO_ENUM_SAT ? "satmode"
           : set == PTO_ENUM_TRIANGLE ? "upperOrLower"
           : set == PTO_ENUM_MASK ? "maskPattern" : NULL;
}

static const char *words_of(struct mlir_lower *l, unsigned set)
{
    struct pto_buf text = {0};
    const char *word, *copy;

    for (int i = 0; (word = pto_enum_keyword((enum pto_enum)set, i)); i++)
        pto_buf_printf(&text, "%s%s", i ? " " : "", word);
    copy = pto_arena_strdup(l->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return copy;
}

/* A word of a set that it is none of. */
static void no_word(struct mlir_lower *l, struct mlir_node *op, unsigned set, const char *word)
{
    const struct mlir_node *value = key_of(set) ? mlir_attribute(op, key_of(set)) : NULL;
    struct pto_diag *diag;

    if (!value)
        return;
    diag = mlir_refuse(l, op, value, "'%s' is no '%s'", word, key_of(set));
    if (diag)
        pto_diag_hint(l->tree->diags, diag, "one of: %s", words_of(l, set));
}

/* ---- operands by a row of the ISA ---- */

static void put(struct mlir_operands *o, const char *text)
{
    pto_buf_printf(&o->text, "%s%s", o->text.size ? ", " : " ", text);
}

/* The offset of a window: the two numbers behind its tile. */
static const char *window_offset(struct mlir_lower *l, const struct mlir_operands *o)
{
    unsigned at = 0;

    while (at < o->ins && o->in[at])
        at++;
    if (at + 2 > o->ins || o->in[at + 1])
        return NULL;
    return pto_arena_printf(l->arena, "(%s, %s)", o->number[at].text, o->number[at + 1].text);
}

static bool take_tile(struct mlir_lower *l, struct mlir_operands *o,
                      const struct pto_operand_spec *spec, enum mlir_how how)
{
    bool writes = spec->access & PTO_WRITE;
    const char *at = "";
    struct mlir_value *value;

    if (writes ? o->taken_out >= o->outs : o->taken_in >= o->ins || !o->in[o->taken_in])
        return spec->access & PTO_OPTIONAL;
    value = writes ? o->out[o->taken_out++] : o->in[o->taken_in++];
    if (!(spec->spaces & (1u << value->type.space)))
        return false;
    if (how == WINDOWED && (spec->access & PTO_WINDOW))
        at = window_offset(l, o);
    if (!at)
        return false;
    put(o, mlir_tile_text(l, value, at));
    return true;
}

/* Level a5 has no use for most scratch tiles: there they take no room. */
static bool take_scratch(struct mlir_lower *l, struct mlir_operands *o,
                         const struct pto_operand_spec *spec)
{
    bool needed = !(spec->access & PTO_OPTIONAL) || spec->rule != PTO_SHAPE_OF_FREE;

    if (o->taken_in >= o->ins || !o->in[o->taken_in])
        return spec->access & PTO_OPTIONAL;
    if (needed || !l->options->profile->a5)
        put(o, mlir_tile_text(l, o->in[o->taken_in], ""));
    o->taken_in++;
    return true;
}

/* A number becomes one of the elements that it meets: those of the first source that is no mask,
 * else of the destination.  Upstream's integers have no sign, and are cut to the element: 200 of i8
 * beside ui8 is 200. */
static bool meet(struct mlir_lower *l, const struct mlir_operands *o, struct mlir_scalar *number)
{
    const struct mlir_value *tile = o->ins && o->in[0] && o->ins < 3 ? o->in[0]
                                    : o->outs ? o->out[0] : NULL;
    enum pto_dtype dtype = tile ? (enum pto_dtype)tile->type.dtype : PTO_I64;

    if (number->is_float && tile && number->dtype != dtype)
        *number = mlir_exact(l, *number);
    if (number->is_float || !tile)
        return true;
    if (pto_dtype_is_float(dtype))
        return false;
    *number = mlir_as_element(l, *number, dtype);
    return true;
}

static bool take_operand(struct mlir_lower *l, struct mlir_node *op, struct mlir_operands *o,
                         const struct pto_operand_spec *spec, enum mlir_how how)
{
    const char *word;

    if (spec->kind == PTO_K_TILE)
        return spec->access & PTO_SCRATCH ? take_scratch(l, o, spec) : take_tile(l, o, spec, how);
    if (spec->kind == PTO_K_ENUM) {
        word = keyword(l, op, spec->set, o);
        if (word && pto_enum_find((enum pto_enum)spec->set, word) >= 0)
            put(o, word);
        else if (word)
            no_word(l, op, spec->set, word);
        return word ? !op->broken : (spec->access & PTO_OPTIONAL) != 0;
    }
    if (spec->kind != PTO_K_NUM && spec->kind != PTO_K_INT && spec->kind != PTO_K_FLOAT)
        return spec->access & PTO_OPTIONAL;
    if (o->taken_in >= o->ins || o->in[o->taken_in])
        return spec->access & PTO_OPTIONAL;
    if (spec->kind == PTO_K_NUM && !meet(l, o, &o->number[o->taken_in])) {
        mlir_refuse(l, op, op, "an integer beside tiles of floating-point elements");
        return false;
    }
    put(o, o->number[o->taken_in++].text);
    return true;
}

/* Do the operands fit this row, all of them? */
static bool fits(struct mlir_lower *l, struct mlir_node *op, struct mlir_operands *o,
                 const struct pto_op_info *info, enum mlir_how how)
{
    o->text.size = 0;
    o->taken_out = 0;
    o->taken_in = how == ACCUMULATES;
    for (unsigned i = 0; i < info->operands; i++)
        if (!take_operand(l, op, o, &info->operand[i], how))
            return false;
    return o->taken_out == o->outs && o->taken_in + (how == WINDOWED ? 2 : 0) == o->ins;
}

/* ---- what rows do not say ---- */

/* Of a row of the tile. */
static int64_t numbers_of(const struct mlir_type *type)
{
    return type->cols * pto_dtype_numbers((enum pto_dtype)type->dtype);
}

static bool check_how(struct mlir_lower *l, struct mlir_node *op, const struct row *row,
                      const struct mlir_operands *o)
{
    if (row->how == ACCUMULATES &&
        (!o->ins || !o->in[0] || !o->outs || o->in[0]->tile.tile != o->out[0]->tile.tile)) {
        mlir_refuse(l, op, op, "'%s' accumulates into another tile than it writes, which is not "
                    "taken", op->text);
        return false;
    }
    if (row->how == REFILLED && o->outs && o->out[0]->type.pad == MLIR_PAD_NULL) {
        mlir_refuse(l, op, op, "'%s' wants a destination whose type names a pad value", op->text);
        return false;
    }
    if (row->how == UNFOLDED && o->ins != UNFOLDED_INS) {
        mlir_refuse(l, op, op, "'%s' wants a map, posM and posK", op->text);
        return false;
    }
    if (row->how == CONVERTED && o->ins && o->in[0] && o->outs &&
        pto_dtype_numbers(o->in[0]->type.dtype) != pto_dtype_numbers(o->out[0]->type.dtype) &&
        numbers_of(&o->in[0]->type) != numbers_of(&o->out[0]->type)) {
        mlir_refuse(l, op, op, "'%s' between tiles of %lld and %lld numbers in a row: columns of "
                    "types with two in an element are elements here", op->text,
                    (long long)numbers_of(&o->in[0]->type),
                    (long long)numbers_of(&o->out[0]->type));
        return false;
    }
    return true;
}

static bool check_words(struct mlir_lower *l, struct mlir_node *op)
{
    const struct mlir_node *value = mlir_attribute(op, "accToVecMode");

    if (!value || mlir_is_among("single_mode_vec0 single_mode_vec1 dual_mode_split_m "
                                "dual_mode_split_n", mlir_enum_word(value)))
        return true;
    mlir_refuse(l, op, value, "'%s' is no mode of 'accToVecMode'", mlir_enum_word(value));
    return false;
}

static bool has_destination(int row)
{
    const struct pto_op_info *info = row < 0 ? NULL : pto_op_info((unsigned)row);

    for (unsigned i = 0; info && i < info->operands; i++)
        if (info->operand[i].access & PTO_WRITE)
            return true;
    return !info;
}

/* An accumulator that is split between the two vector sub-cores: a part for each, as large as the
 * destination. */
static bool lower_split(struct mlir_lower *l, struct mlir_node *op, const struct mlir_operands *o)
{
    bool rows = !strcmp(sent_to(op), "dual_mode_split_m");
    struct mlir_scalar part;
    const char *to, *from, *relu = "";

    if (!rows && strcmp(sent_to(op), "dual_mode_split_n") != 0)
        return false;
    if (o->ins != 1 || o->outs != 1 || !o->in[0] || !o->out[0] ||
        o->in[0]->type.space != PTO_L0C || o->out[0]->type.space != PTO_UB) {
        mlir_refuse(l, op, op, "only an accumulator is split between vector sub-cores, and only as "
                    "it is");
        return true;
    }
    if (keyword(l, op, PTO_ENUM_RELU, o))
        relu = ", relu";
    to = mlir_tile_text(l, o->out[0], "");
    part = rows ? o->out[0]->tile.rows : o->out[0]->tile.cols;
    for (unsigned vector = 0; vector < 2; vector++) {
        from = !vector ? "(0, 0)"
               : rows  ? pto_arena_printf(l->arena, "(%s, 0)", part.text)
                       : pto_arena_printf(l->arena, "(0, %s)", part.text);
        mlir_line(&l->code, op, "TEXTRACT %s, %s%s%s, vec%u", to, o->in[0]->tile.tile->name, from,
                  relu, vector);
    }
    o->in[0]->tile.tile->used = true;
    return true;
}

static void add_form(struct pto_buf *text, const struct pto_operand_spec *spec, const char *word)
{
    const char *comma = text->size && pto_buf_text(text)[text->size - 1] != '(' ? ", " : "";

    if (spec->access & PTO_OPTIONAL)
        pto_buf_printf(text, "%s[%s]", comma, word);
    else
        pto_buf_printf(text, "%s%s", comma, word);
}

/* How an operation is written, from the row of its instruction. */
static const char *form_text(struct mlir_lower *l, const struct pto_op_info *info,
                             enum mlir_how how)
{
    struct pto_buf in = {0}, out = {0}, keys = {0};
    const char *text;

    if (how == ACCUMULATES)
        pto_buf_printf(&in, "DESTINATION");
    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];

        if (spec->kind == PTO_K_TILE && (spec->access & PTO_WRITE) &&
            !(spec->access & PTO_SCRATCH))
            add_form(&out, spec, "TILE");
        else if (spec->kind == PTO_K_TILE)
            add_form(&in, spec, "TILE");
        else if (spec->kind == PTO_K_NUM || spec->kind == PTO_K_INT || spec->kind == PTO_K_FLOAT)
            add_form(&in, spec, "NUMBER");
        else if (spec->kind == PTO_K_ENUM && key_of(spec->set))
            pto_buf_printf(&keys, " {%s = ..}", key_of(spec->set));
    }
    text = pto_arena_printf(l->arena, "ins(%s%s)%s%s%s%s", pto_buf_text(&in),
                            how == WINDOWED ? ", ROW, COLUMN" : "", out.size ? " outs(" : "",
                            out.size ? pto_buf_text(&out) : "", out.size ? ")" : "",
                            keys.size ? pto_buf_text(&keys) : "");
    pto_buf_free(&in);
    pto_buf_free(&out);
    pto_buf_free(&keys);
    return text;
}

/* The first row of an instruction whose operands are tiles; -1: none. */
static int row_of_tiles(const char *instruction)
{
    for (int id = pto_op_find(instruction); id >= 0; id = pto_op_next((unsigned)id)) {
        const struct pto_op_info *info = pto_op_info((unsigned)id);
        unsigned i = 0;

        while (i < info->operands && info->operand[i].kind != PTO_K_GM)
            i++;
        if (i == info->operands)
            return id;
    }
    return -1;
}

static void no_form(struct mlir_lower *l, struct mlir_node *op, const struct row *row)
{
    int id = row_of_tiles(row->instruction);
    struct pto_diag *diag = mlir_refuse(l, op, op, "no form of %s takes these operands of '%s'",
                                        row->instruction, op->text);

    if (diag && id >= 0)
        pto_diag_hint(l->tree->diags, diag, "%s %s", op->text,
                      form_text(l, pto_op_info((unsigned)id), row->how));
}

static void lower(struct mlir_lower *l, struct mlir_node *op, const struct row *row)
{
    struct mlir_operands o = {.ins = 0};
    int id = pto_op_find(row->instruction);

    if (!read_group(l, op, "ins", row->how, &o) ||
        (has_destination(id) && !read_group(l, op, "outs", row->how, &o)) ||
        !mlir_arrange(l, op, row->how, &o) || !check_how(l, op, row, &o) || !check_words(l, op) ||
        (row->how == UNFOLDED && !mlir_unfold(l, op, &o.number[o.ins])) ||
        (!strcmp(row->instruction, "TMOV") && lower_split(l, op, &o)))
        return;
    if (row->how == UNFOLDED)
        o.ins += MLIR_UNFOLDED;
    while (id >= 0 && !fits(l, op, &o, pto_op_info((unsigned)id), row->how) && !op->broken)
        id = pto_op_next((unsigned)id);
    if (id >= 0 && !op->broken)
        mlir_line(&l->code, op, "%s%s", row->instruction, pto_buf_text(&o.text));
    else
        no_form(l, op, row);
    pto_buf_free(&o.text);
}

bool mlir_table_op(struct mlir_lower *l, struct mlir_node *op)
{
    for (unsigned i = 0; i < sizeof ROW / sizeof *ROW; i++)
        if (!strcmp(op->text, ROW[i].name)) {
            lower(l, op, &ROW[i]);
            return true;
        }
    return false;
}
