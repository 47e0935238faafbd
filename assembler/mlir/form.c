/* What stands in an operation and has been read by nobody.
 *
 * The code of an operation looks for what it knows.  Here the rest is told: words that are none of
 * its own, values and types without a sign between them, attributes of other operations, results
 * of what gives none.  Nothing that is written is to be passed over in silence. */
#include <string.h>

#include "mlir/operands.h"

static const struct form {
    const char *name, *words, *keys, *types;
    int operands, regions; /* -1: any number */
} FORM[] = {
#define MLIR_FORM(name, words, keys, types, operands, regions) \
    {name, words, keys, types, operands, regions},
#include "mlir/mlir_forms.def"
#undef MLIR_FORM
};

/* Attributes that some instructions understand; those without a set say nothing that is not known
 * from the operands. */
static const struct {
    const char *name;
    int set; /* enum pto_enum of an operand; -1: none */
} KEY[] = {
    {"cmpMode", PTO_ENUM_CMP},         {"rmode", PTO_ENUM_ROUND},
    {"roundMode", PTO_ENUM_ROUND},     {"descending", PTO_ENUM_DIRECTION},
    {"isBinary", PTO_ENUM_SUM_ORDER},  {"accToVecMode", PTO_ENUM_VECTOR},
    {"reluPreMode", PTO_ENUM_RELU},    {"src0eqdst", -1},
    {"src1Col", -1},                   {"layout", -1},
    {"accPhase", -1},                  {"maskPattern", PTO_ENUM_MASK},
    {"exhausted", PTO_ENUM_MERGE},     {"satmode", PTO_ENUM_SAT},
    {"cmpMode", PTO_ENUM_MATCH},       {"offset", PTO_ENUM_MATCH},
    {"upperOrLower", PTO_ENUM_TRIANGLE},
};

/* What may stand in `fastmath<..>` and `overflow<..>`: words that allow other results, among which
 * the exact one of floating point and the wrapped one of integers always are. */
static const struct {
    const char *name, *words;
} ALLOWED[] = {
    {"fastmath", "none reassoc nnan ninf nsz arcp contract afn fast"},
    {"overflow", "none nsw nuw"},
};

struct checked {
    struct mlir_lower *l;
    struct mlir_node *op;
    const char *words, *keys, *types, *instruction; /* NULL: it is none */
    int operands, regions;
};

static bool unexpected(const struct checked *c, const struct mlir_node *node)
{
    if (node->kind == MLIR_WORD && mlir_native(c->l->tree, node)) {
        c->op->broken = true;
        c->l->errors++;
    } else if (node->kind == MLIR_WORD &&
               (strchr(node->text, '.') || mlir_is(node->next, MLIR_WORD, "ins"))) {
        mlir_unknown(c->l, c->op, node);
    } else if (node->kind == MLIR_SSA) {
        mlir_refuse(c->l, c->op, node, "'%%%s' was not expected here in '%s'", node->text,
                    c->op->text);
    } else {
        mlir_refuse(c->l, c->op, node, "'%s' is no part of '%s'", node->text, c->op->text);
    }
    return false;
}

/* ---- attributes ---- */

static bool has_set(const char *instruction, int set)
{
    for (int id = pto_op_find(instruction); id >= 0; id = pto_op_next((unsigned)id)) {
        const struct pto_op_info *info = pto_op_info((unsigned)id);

        for (unsigned i = 0; i < info->operands; i++)
            if (info->operand[i].kind == PTO_K_ENUM && info->operand[i].set == set)
                return true;
    }
    return false;
}

static bool is_key(const struct checked *c, const char *key)
{
    if (!strcmp(key, "operandSegmentSizes") || mlir_is_among(c->keys, key))
        return true;
    for (unsigned i = 0; c->instruction && i < sizeof KEY / sizeof *KEY; i++)
        if (!strcmp(KEY[i].name, key) &&
            (KEY[i].set < 0 || has_set(c->instruction, KEY[i].set)))
            return true;
    return false;
}

/* Behind a value, or a type: `8`, `"text"`, `[1, 2]`, `#pto.cmp<ge>`, `array<i64: 1, 2>`. */
static const struct mlir_node *behind_value(const struct mlir_node *node)
{
    if (mlir_is(node, MLIR_SIGN, "-"))
        node = node->next;
    if (!node || node->kind == MLIR_SIGN)
        return node;
    node = node->next;
    return node && node->kind == MLIR_ANGLE ? node->next : node;
}

/* Behind an attribute: `a = 1 : i32`, `b`. */
static const struct mlir_node *behind_attribute(const struct mlir_node *key)
{
    const struct mlir_node *node = key->next;

    if (!mlir_is(node, MLIR_SIGN, "="))
        return node;
    node = behind_value(node->next);
    return mlir_is(node, MLIR_SIGN, ":") ? behind_value(node->next) : node;
}

/* `{a = 1, b, "c" = 2}` */
static bool check_keys(const struct checked *c, const struct mlir_node *dict)
{
    const struct mlir_node *node = dict->first;

    while (node) {
        if (node->kind != MLIR_WORD && node->kind != MLIR_STRING)
            return unexpected(c, node);
        if (!is_key(c, node->text)) {
            struct pto_diag *diag = mlir_refuse(c->l, c->op, node,
                                                "the attribute '%s' is not taken", node->text);

            if (diag && *c->keys)
                pto_diag_hint(c->l->tree->diags, diag, "'%s' takes %s", c->op->text, c->keys);
            return false;
        }
        for (const struct mlir_node *other = dict->first; other != node; other = other->next)
            if (other->kind == node->kind && !strcmp(other->text, node->text) &&
                (other == dict->first || !mlir_is(other->next, MLIR_SIGN, ","))) {
                mlir_refuse(c->l, c->op, node, "the attribute '%s' is given twice", node->text);
                return false;
            }
        node = behind_attribute(node);
        if (node && !mlir_is(node, MLIR_SIGN, ","))
            return unexpected(c, node);
        node = node ? node->next : NULL;
    }
    return true;
}

/* ---- words, values, types ---- */

/* What stands between the signs of an operation. */
struct place {
    bool in_types; /* behind ':' or '->' */
    bool is_open;  /* a value or a type may come next */
    bool colon, arrow; /* there was one: no second one comes */
};

static bool is_value(const struct mlir_node *node)
{
    return node->kind == MLIR_SSA || node->kind == MLIR_INT || node->kind == MLIR_FLOAT ||
           node->kind == MLIR_STRING || node->kind == MLIR_SYMBOL || node->kind == MLIR_DIMS;
}

/* What has a value of its own behind '=': a word, and a name of a loop or in a list. */
static bool is_named(const struct checked *c, const struct mlir_node *last, bool is_top)
{
    if (!last)
        return false;
    return last->kind == MLIR_WORD || last->kind == MLIR_STRING ||
           (last->kind == MLIR_SSA && (!is_top || !strcmp(c->op->text, "scf.for")));
}

static bool check_sign(const struct checked *c, const struct mlir_node *node,
                       const struct mlir_node *last, bool is_top, struct place *at)
{
    bool colon = node->text[0] == ':', arrow = node->text[0] == '-' && node->text[1] == '>';
    bool good;

    if (colon || arrow)
        good = !(colon ? at->colon : at->arrow);
    else if (node->text[0] == '=')
        good = !at->in_types && is_named(c, last, is_top);
    else
        good = node->text[0] == ',' && last && last->kind != MLIR_SIGN;
    at->colon |= colon;
    at->arrow |= arrow;
    at->in_types |= colon || arrow;
    at->is_open = true;
    return good || unexpected(c, node);
}

/* A value.  Behind types only the next argument of a list may come: `(%a: i32, %b: i32)`. */
static bool check_value(const struct checked *c, const struct mlir_node *node, bool is_top,
                        struct place *at)
{
    if (!at->is_open)
        return unexpected(c, node);
    if (at->in_types && node->kind == MLIR_SSA) {
        if (is_top || !mlir_is(node->next, MLIR_SIGN, ":"))
            return unexpected(c, node);
        *at = (struct place){0};
    }
    at->is_open = false;
    return true;
}

static bool is_first(const struct mlir_node *inside, const struct mlir_node *word)
{
    for (; inside != word; inside = inside->next)
        if (inside->kind == MLIR_WORD && !strcmp(inside->text, word->text))
            return false;
    return true;
}

static bool check_allowed(const struct checked *c, const struct mlir_node *word)
{
    for (unsigned i = 0; i < sizeof ALLOWED / sizeof *ALLOWED; i++)
        for (const struct mlir_node *at = strcmp(word->text, ALLOWED[i].name) ? NULL
                                                                              : word->next->first;
             at; at = at->next)
            if (!mlir_is(at, MLIR_SIGN, ",") && !mlir_is_among(ALLOWED[i].words, at->text)) {
                mlir_refuse(c->l, c->op, at, "'%s' is no word of '%s'", at->text, word->text);
                return false;
            }
    return true;
}

static bool check_word(const struct checked *c, const struct mlir_node *inside,
                       const struct mlir_node *node, struct place *at)
{
    if (at->in_types && at->is_open && !mlir_is(node->next, MLIR_SIGN, "=")) {
        at->is_open = false; /* a type: f32, index, memref<..> */
        return true;
    }
    if (at->in_types && !strcmp(node->text, "to")) {
        at->is_open = true;
        return true;
    }
    if (!strcmp(c->words, "*") && at->is_open) {
        at->is_open = false;
        return true;
    }
    if (!mlir_is_among(c->words, node->text))
        return unexpected(c, node);
    if (!is_first(inside, node)) {
        mlir_refuse(c->l, c->op, node, "'%s' stands twice in '%s'", node->text, c->op->text);
        return false;
    }
    if (node->next && node->next->kind == MLIR_ANGLE && !check_allowed(c, node))
        return false;
    if (mlir_is(node->next, MLIR_SIGN, "=")) /* its value may have a type of its own */
        at->colon = at->arrow = false;
    at->in_types = false;
    at->is_open = true;
    return true;
}

static bool is_declaration(const struct mlir_node *op)
{
    return mlir_is_function(op) && !mlir_region(op, 0);
}

static bool check_nodes(const struct checked *c, const struct mlir_node *inside, bool is_top);

static bool check_group(const struct checked *c, const struct mlir_node *node, struct place *at)
{
    if (node->kind == MLIR_BRACE && !check_keys(c, node))
        return false;
    if (node->kind == MLIR_PAREN || node->kind == MLIR_SQUARE) {
        /* Lists are read by the operation; in those of types, as a declaration has them, there is
         * nothing to be read. */
        if (!at->in_types && !is_declaration(c->op) && !check_nodes(c, node->first, false))
            return false;
        at->is_open = !strcmp(c->op->text, "scf.condition");
    } else if (node->kind == MLIR_REGION || node->kind == MLIR_BRACE) {
        at->in_types = at->is_open = false;
    } else {
        at->is_open = false;
    }
    return true;
}

/* `loc(..)` says where an operation or an argument comes from, and nothing else. */
static bool is_location(const struct mlir_node *node)
{
    return mlir_is(node, MLIR_WORD, "loc") && node->next && node->next->kind == MLIR_PAREN;
}

static bool check_nodes(const struct checked *c, const struct mlir_node *inside, bool is_top)
{
    struct place at = {.is_open = true};
    const struct mlir_node *last = NULL;

    for (const struct mlir_node *node = inside; node; last = node, node = node->next) {
        bool good = true;

        if (is_location(node)) {
            node = node->next;
        } else if (node->kind == MLIR_SIGN) {
            good = check_sign(c, node, last, is_top, &at);
        } else if (node->kind == MLIR_WORD) {
            good = check_word(c, inside, node, &at);
        } else if (is_value(node) || node->kind == MLIR_TYPE || node->kind == MLIR_ATTR) {
            good = check_value(c, node, is_top, &at);
        } else if (is_top || node->kind != MLIR_REGION) {
            good = check_group(c, node, &at);
        }
        if (!good)
            return false;
    }
    return true;
}

/* ---- where operations stand ---- */

/* Operations that end regions, and of which operations. */
static const struct {
    const char *name, *around;
} END[] = {
    {"scf.yield", "scf.for scf.if scf.while"},
    {"scf.condition", "scf.while"},
    {"return", "func.func"},
    {"func.return", "func.func"},
    {"func.func", "module builtin.module"},
    {"module", "module builtin.module"},
    {"builtin.module", "module builtin.module"},
};

static bool is_placed(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *around)
{
    for (unsigned i = 0; i < sizeof END / sizeof *END; i++)
        if (!strcmp(op->text, END[i].name) && !mlir_is_among(END[i].around, around->text)) {
            struct pto_diag *diag = mlir_refuse(l, op, op, "'%s' does not belong into '%s'",
                                                op->text, around->text);

            if (diag)
                pto_diag_hint(l->tree->diags, diag, "it stands in %s", END[i].around);
            return false;
        }
    return true;
}

/* Only the body of `scf.while` has arguments; no region has several blocks. */
static bool is_plain_label(struct mlir_lower *l, struct mlir_node *around,
                           const struct mlir_node *region, const struct mlir_node *label)
{
    if (label == region->first && (!label->first || !strcmp(around->text, "scf.while")))
        return true;
    mlir_refuse(l, around, label, label == region->first ? "'%s' has no arguments here"
                                                         : "blocks are not taken: '%s' has one",
                around->text);
    return false;
}

static void check_places(struct mlir_lower *l, struct mlir_node *around)
{
    for (const struct mlir_node *region = around->first; region; region = region->next)
        for (struct mlir_node *op = region->kind == MLIR_REGION ? region->first : NULL; op;
             op = op->next) {
            if (op->kind == MLIR_LABEL ? !is_plain_label(l, around, region, op)
                                       : op->kind == MLIR_OP && !is_placed(l, op, around))
                around->broken = true; /* what it gives is not known */
            if (op->kind == MLIR_OP && !op->broken)
                check_places(l, op);
        }
}

void mlir_check_function(struct mlir_lower *l, struct mlir_node *function)
{
    const struct mlir_node *node = function->first;

    while (node && node->kind != MLIR_SYMBOL)
        node = node->next;
    if (!node || !node->next || node->next->kind != MLIR_PAREN)
        mlir_refuse(l, function, node ? node : function, "'func.func @NAME(%%A: TYPE, ..) {..}' "
                    "was expected");
    check_places(l, function);
}

/* ---- an operation ---- */

static bool form_of(const struct mlir_node *op, struct checked *c)
{
    static const struct {
        const char *name, *instruction, *words;
    } row[] = {
#define MLIR_INTEGER(name, expression, leaves, is_unsigned, words) {name, NULL, words},
#define MLIR_REAL(name, ...) {name, NULL, "fastmath"},
#define MLIR_OP(name, instruction, how) \
    {name, instruction, (how) == MERGED ? "ins outs no_tmp" : "ins outs"},
#include "mlir/mlir_ops.def"
#undef MLIR_OP
#undef MLIR_REAL
#undef MLIR_INTEGER
    };

    for (unsigned i = 0; i < sizeof FORM / sizeof *FORM; i++)
        if (!strcmp(FORM[i].name, op->text)) {
            c->words = FORM[i].words;
            c->keys = FORM[i].keys;
            c->types = FORM[i].types;
            c->operands = FORM[i].operands;
            c->regions = FORM[i].regions;
            return true;
        }
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++)
        if (!strcmp(row[i].name, op->text)) {
            c->instruction = row[i].instruction;
            c->words = row[i].words;
            c->keys = row[i].instruction ? "" : "overflowFlags";
            c->types = row[i].instruction ? "" : "01r";
            c->operands = row[i].instruction ? 0 : 2;
            return true;
        }
    return false;
}

/* Values by themselves and regions: as many as are read. */
static bool check_counts(const struct checked *c)
{
    int operands = 0, regions = 0;
    bool in_types = false, is_named = false;

    for (const struct mlir_node *node = c->op->first; node; node = node->next) {
        bool is_operand = node->kind == MLIR_SSA && !in_types && !is_named;

        in_types |= mlir_is(node, MLIR_SIGN, ":") || mlir_is(node, MLIR_SIGN, "->");
        is_named = mlir_is(node, MLIR_SIGN, "=");
        operands += is_operand;
        regions += node->kind == MLIR_REGION;
        if (is_operand && c->operands >= 0 && operands > c->operands)
            return unexpected(c, node);
        if (regions > c->regions) {
            mlir_refuse(c->l, c->op, node, c->regions ? "'%s' has no further region"
                                                      : "'%s' has no region", c->op->text);
            return false;
        }
    }
    return true;
}

/* An operation that gives nothing has bound no name. */
static void check_results(struct mlir_lower *l, struct mlir_node *op)
{
    for (const struct mlir_node *node = op->result; node; node = node->next)
        if (node->kind == MLIR_SSA && !node->first && !mlir_bound(l, node->text)) {
            mlir_refuse(l, op, node, "'%s' has no result", op->text);
            return;
        }
}

void mlir_check_form(struct mlir_lower *l, struct mlir_node *op)
{
    struct checked c = {.l = l, .op = op};

    if (op->broken || !form_of(op, &c))
        return;
    if (check_nodes(&c, op->first, true) && check_counts(&c))
        check_results(l, op);
    if (!op->broken && *c.types)
        mlir_check_written(l, op, c.types);
}
