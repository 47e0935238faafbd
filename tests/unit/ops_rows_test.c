/* The rows of the instruction table against the functions of vm/ops: every combination of element
 * types that a row allows runs on every level of the host, and one that it does not allow ends in a
 * fault or a result, not in a jump to nowhere. */
#define OPS_MEMORY (4 << 20)
#include "ops_support.h"

#include "fit.h"
#include "object.h"
#include "profile_load.h"

enum {
    ROWS = 64,
    COLS = 512,
    TILE_BYTES = ROWS * COLS * 8,
    TRIES = 100000, /* at extents that suit each other */
    RUN = 64,       /* columns of a sorted run */
};

static struct pto_profile profile; /* a5 */

/* ---- operands that suit each other ----------------------------------------------------------- */
struct extent {
    uint32_t rows, cols;
};

static const struct extent extents[] = {{16, 32}, {16, 1}, {16, 64}, {1, 256}, {1, 1},
                                        {1, 32},  {16, 4}, {1, 2},   {1, 4},   {32, 16},
                                        {16, 2},  {32, 1}, {1, 64},  {16, 16}, {16, 256},
                                        {ROWS, 32}};
enum { EXTENTS = sizeof extents / sizeof *extents };

/* Where to begin, for what only the machine says about extents: counts of TCONCAT, the pattern of
 * TGATHER, one row for TMRGSORT, a feature map for TIMG2COL. */
static const struct {
    enum pto_op op;
    uint8_t operand, extent; /* index in `extents` */
} beginnings[] = {{PTO_OP_TCONCAT_COUNTED, 3, 1}, {PTO_OP_TCONCAT_COUNTED, 4, 1},
                  {PTO_OP_TCONCAT_TOTALS, 3, 1},  {PTO_OP_TCONCAT_TOTALS, 4, 1},
                  {PTO_OP_TCONCAT_TOTALS, 5, 1},  {PTO_OP_TGATHER_MASK, 1, 2},
                  {PTO_OP_TMRGSORT, 0, 3},        {PTO_OP_TMRGSORT, 1, 3},
                  {PTO_OP_TIMG2COL, 1, EXTENTS - 1}};

/* What its numbers say: from the first element on, of a map of one row. */
static const struct {
    enum pto_op op;
    uint8_t operand;
    int64_t value;
} numbers[] = {{PTO_OP_TIMG2COL, 2, 0}, {PTO_OP_TIMG2COL, 3, 0},
               {PTO_OP_TIMG2COL, 4, 1 << 16 | ROWS}};

/* dst and src are one tile. */
static bool is_in_place(enum pto_op op)
{
    return op == PTO_OP_TFILLPAD_INPLACE || op == PTO_OP_TFILLPAD_INPLACE_VALUE;
}

/* An instruction of one row. */
struct single {
    struct pto_module module;
    struct pto_kernel kernel;
    struct pto_core_code core;
    struct pto_tile tile[PTO_MAX_OPERANDS];
    struct pto_object object[PTO_MAX_OPERANDS];
    struct pto_operand operand[PTO_MAX_OPERANDS];
    struct pto_insn insn;
    uint8_t extent[PTO_MAX_OPERANDS]; /* index in `extents` */
};

static uint8_t layout_of(enum pto_space space)
{
    return (uint8_t)pto_profile_layout(&profile, space);
}

static struct pto_scalar literal(int64_t value)
{
    return (struct pto_scalar){.kind = PTO_S_INT, .i = value};
}

/* The first space that is allowed; casts of a transfer are possible out of l0c only. */
static enum pto_space space_of(const struct pto_operand_spec *spec, bool cast)
{
    return cast && spec->spaces >> PTO_L0C & 1 ? PTO_L0C
                                               : (enum pto_space)__builtin_ctz(spec->spaces);
}

static void set_extent(struct single *s, unsigned i)
{
    struct pto_operand *operand = &s->operand[i];
    struct pto_scalar rows = literal(extents[s->extent[i]].rows);
    struct pto_scalar cols = literal(extents[s->extent[i]].cols);

    if (operand->kind == PTO_O_TILE) {
        operand->tile.rows = rows;
        operand->tile.cols = cols;
    } else if (operand->kind == PTO_O_GM) {
        operand->gm.rows = rows;
        operand->gm.cols = cols;
    }
}

static void make_tile(struct single *s, unsigned i, enum pto_space space, uint8_t dtype)
{
    s->tile[i] = (struct pto_tile){.name = "t", .space = (uint8_t)space, .dtype = dtype,
                                   .layout = layout_of(space), .rows = ROWS, .cols = COLS,
                                   .slots = 1, .parent = PTO_NONE};
    s->operand[i] = (struct pto_operand){.kind = PTO_O_TILE, .tile = {.tile = (uint16_t)i}};
    set_extent(s, i);
}

static void make_object(struct single *s, unsigned i, uint8_t dtype)
{
    s->object[i] = (struct pto_object){.name = "g", .kind = PTO_OBJ_GM, .dtype = dtype, .dims = 2,
                                       .dim = {literal(ROWS), literal(COLS)}, .base = PTO_NONE};
    s->operand[i] = (struct pto_operand){.kind = PTO_O_GM, .gm = {.object = (uint16_t)i}};
    set_extent(s, i);
}

/* The value of a scalar operand: a run of TMRGSORT, or a number that every type has. */
static int64_t scalar_of(unsigned op, unsigned operand)
{
    const struct pto_operand_spec *spec = &pto_op_info(op)->operand[operand];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].op == op && numbers[i].operand == operand)
            return numbers[i].value;
    return spec->rule == PTO_LIMIT_RUN ? RUN : spec->rule == PTO_LIMIT_ROUNDS ? 10 : 1;
}

static int word_of(const struct pto_operand_spec *spec)
{
    int value = spec->preset;

    while (!pto_enum_keyword(spec->set, value))
        value++;
    return value;
}

/* `dtypes` are those of the operands that types are given for; there are as many of them as the
 * alternative names, which leaves optional operands out. */
static void make_single(struct single *s, unsigned op, const uint8_t *dtypes, unsigned count)
{
    const struct pto_op_info *info = pto_op_info(op);
    bool cast = info->cost == PTO_COST_MOVE && dtypes[0] != dtypes[1];
    unsigned typed = 0;

    *s = (struct single){.kernel = {.object = s->object, .objects = PTO_MAX_OPERANDS},
                         .core = {.present = true, .tile = s->tile, .tiles = PTO_MAX_OPERANDS},
                         .insn = {(uint16_t)op, info->operands, 0, s->operand}};
    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand_spec *spec = &info->operand[i];
        bool scratch = spec->access & PTO_SCRATCH;

        if (spec->kind == PTO_K_TILE && scratch)
            make_tile(s, i, PTO_UB, PTO_F32);
        else if ((spec->kind == PTO_K_TILE || spec->kind == PTO_K_GM) && typed == count)
            assert_true(spec->access & PTO_OPTIONAL);
        else if (spec->kind == PTO_K_TILE)
            make_tile(s, i, space_of(spec, cast), dtypes[typed++]);
        else if (spec->kind == PTO_K_GM)
            make_object(s, i, dtypes[typed++]);
        else if (spec->kind == PTO_K_ENUM)
            s->operand[i] = (struct pto_operand){.kind = PTO_O_ENUM,
                                                 .value = (uint32_t)word_of(spec)};
        else
            s->operand[i] = (struct pto_operand){.kind = PTO_O_SCALAR,
                                                 .scalar = literal(scalar_of(op, i))};
    }
}

/* Change extents until they suit each other: mostly that of the operand that does not. */
static void fit(struct single *s)
{
    const struct pto_site site = {&profile, &s->kernel, &s->core, PTO_AIV, &s->insn};
    struct pto_misfit misfit;
    unsigned operands = s->insn.operands;

    ops_seed = 1;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (beginnings[i].op == s->insn.op) {
            s->extent[beginnings[i].operand] = beginnings[i].extent;
            set_extent(s, beginnings[i].operand);
        }
    for (unsigned i = 0; i < TRIES; i++) {
        unsigned operand;

        if (pto_operands_fit(&site, &misfit))
            return;
        operand = ops_below(3) ? misfit.operand : ops_below(operands);
        s->extent[operand] = (uint8_t)ops_below(EXTENTS);
        set_extent(s, operand);
    }
    fail_msg("%s: no extents suit each other: %s", pto_op_info(s->insn.op)->mnemonic, misfit.text);
}

/* ---- runs ------------------------------------------------------------------------------------ */
static struct ops_case case_of(const struct single *s)
{
    const struct pto_op_info *info = pto_op_info(s->insn.op);
    struct ops_case run = {.op = (enum pto_op)s->insn.op, .operands = info->operands};

    for (unsigned i = 0; i < info->operands; i++) {
        const struct pto_operand *operand = &s->operand[i];
        bool tile = operand->kind == PTO_O_TILE;

        if (operand->kind == PTO_O_SCALAR)
            run.scalar[i] = ops_int(operand->scalar.i);
        if (operand->kind == PTO_O_SCALAR && info->operand[i].kind == PTO_K_FLOAT)
            run.scalar[i] = ops_float(1);
        if (operand->kind == PTO_O_ENUM)
            run.scalar[i] = ops_int(operand->value);
        if (!tile && operand->kind != PTO_O_GM)
            continue;
        run.tile[i] = ops_tile(tile ? s->tile[i].dtype : s->object[i].dtype,
                               tile ? s->tile[i].layout : PTO_ND, ROWS, COLS, i * TILE_BYTES);
        run.tile[i].space = tile ? s->tile[i].space : PTO_PATH_GM;
        run.tile[i].rows = extents[s->extent[i]].rows;
        run.tile[i].cols = extents[s->extent[i]].cols;
    }
    if (is_in_place(run.op))
        run.tile[1].at = run.tile[0].at;
    return run;
}

static uint64_t bits_of(int dtype, int value)
{
    return ops_is_float(dtype) ? ops_encode(dtype, value) : (uint64_t)value;
}

/* Run with every element `value`; the fault, or NULL. */
static const char *run_with(const struct op_set *set, const struct ops_case *run, int value,
                            uint8_t *memory)
{
    for (int i = 0; i < run->operands; i++)
        for (uint32_t r = 0; r < run->tile[i].rows; r++)
            for (uint32_t c = 0; c < run->tile[i].cols; c++)
                ops_set(memory, &run->tile[i], r, c, bits_of(run->tile[i].dtype, value));
    return ops_run_on(set, run, memory);
}

static uint8_t *new_memory(void)
{
    uint8_t *memory = calloc(PTO_MAX_OPERANDS, TILE_BYTES);

    assert_non_null(memory);
    return memory;
}

/* ---- types of a row -------------------------------------------------------------------------- */
static unsigned typed_operands(const struct pto_op_info *info)
{
    unsigned count = 0;

    for (unsigned i = 0; i < info->operands; i++)
        count += (info->operand[i].kind == PTO_K_TILE || info->operand[i].kind == PTO_K_GM) &&
                 !(info->operand[i].access & PTO_SCRATCH);
    return count;
}

/* One alternative of a list ("f16", "f32,f16,f16", "*,*") as types of operands; their number. */
static unsigned types_of(const struct pto_op_info *info, const char *text, size_t length,
                         uint8_t *dtypes)
{
    char copy[80] = "", *rest = copy;
    unsigned count = 0;

    assert_true(length < sizeof copy);
    memcpy(copy, text, length);
    if (!strchr(copy, ','))
        for (count = 0; count < typed_operands(info); count++)
            dtypes[count] = (uint8_t)pto_dtype_find(copy);
    else
        for (char *word; (word = strtok_r(rest, ",", &rest)); count++)
            dtypes[count] = (uint8_t)(*word == '*' ? PTO_F32 : pto_dtype_find(word));
    return count;
}

typedef void each_alternative(unsigned op, const uint8_t *dtypes, unsigned count);

static unsigned go_through(unsigned op, const char *types, each_alternative *what)
{
    unsigned alternatives = 0;

    while (*types) {
        size_t length = strcspn(types, " ");
        uint8_t dtypes[PTO_MAX_OPERANDS];

        if (*types != '-') { /* what a level lacks */
            what(op, dtypes, types_of(pto_op_info(op), types, length, dtypes));
            alternatives++;
        }
        types += length + strspn(types + length, " ");
    }
    return alternatives;
}

/* ---- tests ----------------------------------------------------------------------------------- */
/* Zeros are good indices and bad divisors; ones are the other way round. */
static void runs_on_every_level(unsigned op, const uint8_t *dtypes, unsigned count)
{
    const char *mnemonic = pto_op_info(op)->mnemonic, *fault = NULL;
    uint8_t *memory = new_memory();
    struct ops_case run;
    struct single s;

    make_single(&s, op, dtypes, count);
    fit(&s);
    run = case_of(&s);
    for (int level = 0; level < OPS_LEVELS; level++) {
        if (!ops_level(level))
            continue;
        for (int value = 0; value < 2; value++) {
            fault = run_with(ops_level(level), &run, value, memory);
            if (!fault)
                break;
        }
        if (fault)
            fail_msg("%s of %s on level %s: %s", mnemonic, pto_dtype_name(dtypes[0]),
                     ops_level(level)->level, fault);
    }
    free(memory);
}

static void every_type_of_every_row_has_a_function(void **state)
{
    unsigned alternatives = 0;

    (void)state;
    for (unsigned op = 0; op < PTO_OP_COUNT; op++) {
        const struct pto_op_info *info = pto_op_info(op);

        if (info->class != PTO_TILE)
            continue;
        alternatives += go_through(op, info->types, runs_on_every_level);
        alternatives += go_through(op, info->types_a5, runs_on_every_level);
    }
    assert_true(alternatives > 1000);
}

static void without_crash(unsigned op, const uint8_t *dtypes, unsigned count)
{
    struct op_set const *set = op_select();
    uint8_t *memory = new_memory();
    struct ops_case run;
    struct single s;

    make_single(&s, op, dtypes, count);
    fit(&s);
    run = case_of(&s);
    for (int dtype = 0; dtype < PTO_DTYPE_COUNT; dtype++) {
        for (int i = 0; i < run.operands; i++)
            run.tile[i].dtype = dtype;
        run_with(set, &run, 0, memory);
    }
    free(memory);
}

/* Of each row one alternative gives the extents, for all operands of every other type.  What an
 * instruction makes of types that no verifier lets through is its own affair, undefined arithmetic
 * included, so the sanitizers are not asked: that it goes on or faults is all. */
static void wrong_types_fault_at_most(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip();
#endif
    for (unsigned op = 0; op < PTO_OP_COUNT; op++) {
        const struct pto_op_info *info = pto_op_info(op);
        const char *types = *info->types ? info->types : info->types_a5;
        uint8_t dtypes[PTO_MAX_OPERANDS];

        if (info->class == PTO_TILE)
            without_crash(op, dtypes, types_of(info, types, strcspn(types, " "), dtypes));
    }
}

static void a_missing_function_is_a_fault(void **state)
{
    static const struct {
        enum pto_op op;
        int dtype;
        struct extent dst, src;
    } cases[] = {{PTO_OP_TAND, PTO_F32, {4, 32}, {4, 32}},
                 {PTO_OP_TROWSUM, PTO_F8E4M3, {4, 1}, {4, 32}},
                 {PTO_OP_TROWEXPANDEXPDIF, PTO_I32, {4, 32}, {4, 32}},
                 {PTO_OP_TROWARGMAX, PTO_I64, {4, 1}, {4, 32}}};
    uint8_t *memory = new_memory();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ops_case run = {.op = cases[i].op, .operands = pto_op_info(cases[i].op)->operands};
        const char *fault;

        run.tile[0] = ops_tile(cases[i].dtype, PTO_ND, cases[i].dst.rows, cases[i].dst.cols, 0);
        for (unsigned k = 1; k < 3; k++)
            run.tile[k] = ops_tile(cases[i].dtype, PTO_ND, cases[i].src.rows, cases[i].src.cols,
                                   k * TILE_BYTES);
        fault = ops_run_on(op_select(), &run, memory);
        if (!fault || strcmp(fault, OP_NO_FUNCTION) != 0)
            fail_msg("%s: %s", pto_op_info(cases[i].op)->mnemonic, fault ? fault : "no fault");
    }
    free(memory);
}

/* TREDUCE combines with the functions of TADD, TMAX and TMIN, without another look at the types. */
static void what_a_reduction_combines_with(unsigned op, const uint8_t *dtypes, unsigned count)
{
    static const enum pto_op combiners[] = {PTO_OP_TADD, PTO_OP_TMAX, PTO_OP_TMIN};

    (void)op;
    (void)count;
    for (size_t i = 0; i < sizeof combiners / sizeof *combiners; i++)
        assert_true(pto_types_match(pto_op_info(combiners[i]), true, dtypes, 3));
}

static void reductions_have_functions(void **state)
{
    const struct pto_op_info *info = pto_op_info(PTO_OP_TREDUCE);

    (void)state;
    assert_true(go_through(PTO_OP_TREDUCE, info->types, what_a_reduction_combines_with) > 0);
    assert_true(go_through(PTO_OP_TREDUCE, info->types_a5, what_a_reduction_combines_with) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_of_every_row_has_a_function),
        cmocka_unit_test(wrong_types_fault_at_most),
        cmocka_unit_test(a_missing_function_is_a_fault),
        cmocka_unit_test(reductions_have_functions),
    };
    struct pto_diags diags = {0};

    if (pto_profile_load("a5", &profile, &diags) != PTO_OK)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
