/* The lowering of one kernel: state, and what its parts call of each other. */
#ifndef ASM_MLIR_LOWER_H
#define ASM_MLIR_LOWER_H

#include "mlir/functions.h"
#include "mlir/mlir.h"
#include "mlir/out.h"
#include "mlir/value.h"
#include "ops.h"
#include "space.h"

enum mlir_object_use {
    MLIR_UNUSED,
    MLIR_OWN,      /* by this rank alone */
    MLIR_SHARED,   /* other ranks reach it, or it has signals: every rank has a copy */
    MLIR_CONTEXT   /* it says who the ranks are and where their windows lie: no object here */
};

/* A pointer argument of a kernel. */
struct mlir_object {
    const char *name, *size; /* of the object, and of the parameter that says its elements */
    const char *least;       /* elements that its views reach, over parameters; NULL: none known */
    enum mlir_object_use use;
    uint8_t dtype;
    const struct mlir_node *node;
    struct mlir_object *next;
};

/* A tile of a core: declared when an instruction names it. */
struct mlir_tile {
    const char *name;
    struct mlir_type type;
    bool placed;     /* at `address` */
    bool used;
    int64_t address; /* bytes */
    unsigned slots;
    struct mlir_tile *of; /* the tile whose bytes it is */
    int64_t pitch;        /* of a window of it; 0: none */
    bool again;           /* the operation that made it is lowered again */
    const struct mlir_node *node;
    struct mlir_tile *next;
};

/* A view that was declared: what it says is its key. */
struct mlir_declared {
    const char *body, *name;
    struct mlir_declared *next;
};

struct mlir_binding {
    const char *name;
    struct mlir_value *value;
    const struct mlir_node *at;
    uint32_t before; /* in the same bucket, from 1; 0: none */
};

enum { MLIR_BUCKETS = 1024, MLIR_MAX_CALLS = 16 };

enum { MLIR_PIPES = 8, MLIR_RINGS = 8 };

/* A pipe as a function initialises it, and what it says of its room. */
struct mlir_pipe {
    unsigned way;
    int64_t id, bytes, slot_bytes, slots; /* 0: not said */
    const struct mlir_node *node;
};

/* A push or a pop. */
struct mlir_transfer {
    struct mlir_node *op;
    unsigned way;
    bool is_push;
    int64_t id, split;
    struct mlir_type type;
};

/* A ring between the two functions of a kernel: of a pipe the matrices of one shape that are split
 * in one way. */
struct mlir_ring {
    const char *name;
    const char *turn;      /* register of the slot that comes next; NULL: none yet */
    unsigned way;
    int64_t id, split;
    int64_t rows, cols;    /* of the matrix: what the cube's side has */
    uint8_t dtype;
    int64_t slots;
    struct mlir_tile *landing; /* where popped tiles lie, of the core that is lowered */
    const struct mlir_node *node;
};

/* Room that a function reserves, by the name that it gives it. */
struct mlir_room {
    const char *name;
    int64_t bytes;
};

struct mlir_rings {
    struct mlir_pipe pipe[MLIR_PIPES];
    struct mlir_ring ring[MLIR_RINGS];
    struct mlir_room room[MLIR_PIPES]; /* of the function that is looked at */
    struct mlir_transfer *transfer;
    uint32_t transfers, transfer_capacity;
    unsigned pipes, rings, rooms;
};

/* A name that is taken. */
struct mlir_taken {
    const char *name;
    uint32_t before; /* of the same bucket: its number from 1; 0: none */
    uint32_t next;   /* number to try behind it for one like it */
};

/* A register, and of which name of the text it is the one. */
struct mlir_reg {
    const char *key, *name;
    uint32_t before; /* of the same bucket: its number from 1; 0: none */
};

struct mlir_lower {
    struct mlir_text *tree;
    const struct mlir_options *options;
    struct pto_arena *arena;
    struct mlir_functions *functions; /* of the text */
    struct mlir_node *kernel;        /* the function */
    struct mlir_taken *name;         /* taken in this kernel */
    uint32_t names, name_capacity, name_bucket[MLIR_BUCKETS];
    struct mlir_reg *reg;
    uint32_t regs, reg_capacity, reg_bucket[MLIR_BUCKETS];
    const struct mlir_node *arm;     /* the innermost `scf.if` with results; NULL: none */
    struct mlir_object *object, **last_object;
    struct mlir_declared *view;
    struct mlir_out params, views, code;

    enum pto_core_kind core;         /* whose program is being written */
    bool mixed;                      /* both have one */
    bool in_section;
    struct mlir_tile *tile, **last_tile;
    struct mlir_tile *again;         /* none before it is taken again; NULL: none at all */
    struct mlir_rings rings;

    struct mlir_binding *binding;
    uint32_t bindings, binding_capacity, floor; /* names below belong to the caller */
    uint32_t bucket[MLIR_BUCKETS];
    unsigned calls;                  /* depth */
    struct mlir_value *result[32];   /* of the region or function that ended last */
    unsigned results;
    uint32_t errors;
    uint32_t lowered; /* operations, in bodies that are lowered again, too */
    unsigned arms;    /* of the operation that is lowered, by the tiles that it may be given */
};

/* ---- arguments of the kernel (arguments.c) ---- */
bool mlir_add_arguments(struct mlir_lower *l);
void mlir_declare_objects(struct mlir_lower *l, struct mlir_out *out);
/* Is it a function that PyPTO has given its block as an argument? */
bool mlir_is_given_block(const struct mlir_node *op);

/* ---- names and values (names.c) ---- */
const char *mlir_fresh(struct mlir_lower *l, const char *wanted);
/* A name of `op` stands for a value; an error where it does already. */
void mlir_bind(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name,
               struct mlir_value *value);
/* The same of one of several results, %a#1 of the %a at `at`. */
void mlir_bind_text(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *at,
                    const char *name, struct mlir_value *value);
/* NULL: the name stands for nothing here. */
struct mlir_value *mlir_bound(struct mlir_lower *l, const char *name);
/* Value of a name that `op` uses; NULL after an error, and without a word where the value is
 * broken: the operation is broken then, too. */
struct mlir_value *mlir_find(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *name);
/* The same, of a kind. */
struct mlir_value *mlir_want(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *name, enum mlir_value_kind kind);
/* The same name stands for another value. */
void mlir_rebind(struct mlir_lower *l, const char *name, struct mlir_value *value);
void mlir_scope_end(struct mlir_lower *l, uint32_t bindings);
struct mlir_value *mlir_value_new(struct mlir_lower *l, enum mlir_value_kind kind);
/* Of two values by a condition. */
struct mlir_value *mlir_choice(struct mlir_lower *l, const char *condition, struct mlir_value *yes,
                               struct mlir_value *no);
/* An error of the operation `op`, at `node`; an operation has one at most. */
struct pto_diag *mlir_refuse(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* All results of an operation that failed. */
void mlir_break(struct mlir_lower *l, struct mlir_node *op);

/* ---- clauses (clause.c) ---- */
struct mlir_args {
    const struct mlir_node *value[64]; /* names, numbers; kernels have many arguments */
    unsigned values;
    unsigned staging; /* number of the first in `buf(..)`; 0: that is not there */
    const struct mlir_node *dict; /* NULL: none */
    const struct mlir_node *types; /* behind ':', NULL: none are written */
    const struct mlir_node *no_scratch; /* the word `no_tmp`; NULL: it is not there */
};
bool mlir_is(const struct mlir_node *node, enum mlir_kind kind, const char *text);
/* What stands behind the word (`ins`, `shape`), '=' skipped; NULL: it is not there. */
const struct mlir_node *mlir_clause(const struct mlir_node *op, const char *word);
/* What is behind '->', types mostly; NULL: there is none. */
const struct mlir_node *mlir_behind_arrow(const struct mlir_node *op);
const struct mlir_node *mlir_region(const struct mlir_node *op, unsigned number);
/* `a, b {..} : T, T`; false after an error. */
bool mlir_read_args(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *first,
                    struct mlir_args *args);
/* Those of `ins(..)` or `outs(..)`, which has to be there. */
bool mlir_read_group(struct mlir_lower *l, struct mlir_node *op, const char *word,
                     struct mlir_args *args);
/* Value of a key in a dictionary of the operation: wherever one stands in it; NULL: none. */
const struct mlir_node *mlir_attribute(const struct mlir_node *op, const char *key);
/* Is it one of these words, with blanks between them? */
bool mlir_is_among(const char *words, const char *word);
/* The last word of `#pto<cmp lt>`, `#pto.cmp<lt>`, `lt` or "lt". */
const char *mlir_enum_word(const struct mlir_node *value);

/* ---- numbers (scalar.c) ---- */
struct mlir_scalar mlir_int(struct mlir_lower *l, int64_t value);
struct mlir_scalar mlir_float(struct mlir_lower *l, double value);
/* The same number as unsigned: what is above its bits is cleared, or for 64 bits its order kept by
 * turning the sign over. */
struct mlir_scalar mlir_unsigned(struct mlir_lower *l, struct mlir_scalar value);
/* Cut to `bits`, with the sign that the highest of them is; one bit is 0 or 1. */
struct mlir_scalar mlir_cut(struct mlir_lower *l, struct mlir_scalar value, unsigned bits);
/* The same number as an integer element: its low bits, with the sign that the type has. */
struct mlir_scalar mlir_as_element(struct mlir_lower *l, struct mlir_scalar value,
                                   enum pto_dtype dtype);
/* A number where one is written: a name or a literal; false after an error. */
bool mlir_number(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                 struct mlir_scalar *number);
/* The same of an integer, and of an i1. */
bool mlir_integer(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                  struct mlir_scalar *number);
bool mlir_condition(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *node,
                    struct mlir_scalar *number);
struct mlir_scalar mlir_sum(struct mlir_lower *l, const struct mlir_scalar *a,
                            const struct mlir_scalar *b);
struct mlir_scalar mlir_times(struct mlir_lower *l, const struct mlir_scalar *number,
                              int64_t factor);
/* An expression of two numbers, `@` and `#` in `form`. */
struct mlir_scalar mlir_join(struct mlir_lower *l, const char *form, const struct mlir_scalar *a,
                             const struct mlir_scalar *b);
/* Bind the operation's only result to the value of an expression: a register is assigned. */
void mlir_assign(struct mlir_lower *l, struct mlir_node *op, const struct mlir_scalar *value);
/* The register of a name.  Regions beside each other share those of equal names, but for the arms
 * of an `scf.if` with results: the views that these hand on speak of registers of theirs. */
const char *mlir_register(struct mlir_lower *l, const char *ssa, bool is_float);
bool mlir_scalar_op(struct mlir_lower *l, struct mlir_node *op);
void mlir_constant(struct mlir_lower *l, struct mlir_node *op); /* constant.c */
/* ---- numbers of floating point (real.c) ---- */
bool mlir_real_op(struct mlir_lower *l, struct mlir_node *op);
/* The number with no more digits than its type has; integers as they are. */
struct mlir_scalar mlir_exact(struct mlir_lower *l, struct mlir_scalar value);
/* The nearest number of a type. */
double mlir_as_type(double value, unsigned dtype);
/* An operation of two unsigned numbers of 64 bits (wide.c). */
struct mlir_scalar mlir_wide(struct mlir_lower *l, struct mlir_node *op,
                             const struct mlir_scalar *a, const struct mlir_scalar *b);
/* ---- one of two values (select.c) ---- */
bool mlir_select_op(struct mlir_lower *l, struct mlir_node *op);
/* ---- numbers by an expression (affine.c) ---- */
bool mlir_affine_op(struct mlir_lower *l, struct mlir_node *op);

/* ---- global memory (view.c, access.c) ---- */
bool mlir_view_op(struct mlir_lower *l, struct mlir_node *op);
/* Do to each way of a pointer, view or window that may be chosen by conditions when it runs. */
typedef struct mlir_value *mlir_each(struct mlir_lower *l, struct mlir_node *op,
                                     const struct mlir_value *value, void *context);
struct mlir_value *mlir_map_choice(struct mlir_lower *l, struct mlir_node *op,
                                   const struct mlir_value *value, mlir_each *each, void *context);
/* An operand in a view, which is declared if it was not, up to its indices: `name@RANK[`, and if
 * the offset of the pointer is the first index, that too.  NULL after an error. */
const char *mlir_view_open(struct mlir_lower *l, struct mlir_node *op,
                           const struct mlir_view *view);
bool mlir_access_op(struct mlir_lower *l, struct mlir_node *op);
bool mlir_array_op(struct mlir_lower *l, struct mlir_node *op);
bool mlir_table_access_op(struct mlir_lower *l, struct mlir_node *op);
/* A window as an instruction has it: an element of a view, and a number of rows and columns. */
struct mlir_window {
    const char *text;
    struct mlir_scalar rows, cols;
};
/* All of a view, or a window in it. */
struct mlir_part mlir_part_of(struct mlir_lower *l, const struct mlir_value *value);
/* Which dimensions are its rows and columns: the last two, unless sizes other than 1 stand before
 * them and make up for a 1 among them.  False: it has more than two. */
bool mlir_sides_of(const struct mlir_part *part, unsigned *row, unsigned *col);
bool mlir_window_of(struct mlir_lower *l, struct mlir_node *op, const struct mlir_part *part,
                    unsigned row, unsigned col, struct mlir_window *window);
/* The element `at` from a pointer on, as it is written; NULL after an error. */
const char *mlir_place(struct mlir_lower *l, struct mlir_node *op, const struct mlir_ptr *ptr,
                       const struct mlir_scalar *at);
/* The same of `%p[%i]`. */
const char *mlir_element(struct mlir_lower *l, struct mlir_node *op,
                         const struct mlir_node *pointer);
/* The keyword of `atomicType`, with ", " before it, or ""; false after an error. */
bool mlir_atomic_keyword(struct mlir_lower *l, struct mlir_node *op, const char **keyword);
/* The object is used, by this rank or by others as well; false after an error. */
bool mlir_use_object(struct mlir_lower *l, struct mlir_node *op, struct mlir_object *object,
                     enum mlir_object_use use);
/* The element at `place` of an object or a tile, and whether a number may become one. */
struct mlir_scalar mlir_loaded(struct mlir_lower *l, const char *place, enum pto_dtype dtype);
bool mlir_is_of(const struct mlir_scalar *value, enum pto_dtype dtype);
/* A transfer of a window of more than two dimensions (block.c); `keywords` of a store, NULL: it is
 * a load. */
void mlir_blocks(struct mlir_lower *l, struct mlir_node *op, const struct mlir_part *part,
                 struct mlir_value *tile, const char *keywords);

/* ---- other ranks (context.c, comm.c) ---- */
/* `pto.load` of a word of a communication context; false: the pointer is another one. */
bool mlir_context_op(struct mlir_lower *l, struct mlir_node *op);
/* An operation on addresses of windows; false: its first operand is none. */
bool mlir_distance_op(struct mlir_lower *l, struct mlir_node *op);
/* The pointer moved to the copy of another rank; false after an error. */
bool mlir_move_to_rank(struct mlir_lower *l, struct mlir_node *op,
                       const struct mlir_distance *distance, enum pto_dtype dtype,
                       struct mlir_ptr *ptr);
/* The number if it is a distance; NULL: it is a plain one, or none at all. */
const struct mlir_distance *mlir_distance_at(struct mlir_lower *l, const struct mlir_node *node);
/* An address of a window where a number is wanted. */
void mlir_refuse_distance(struct mlir_lower *l, struct mlir_node *op,
                          const struct mlir_node *node);
/* `pto.comm.*`, `pto.cmo.*`, `pto.fence.*` */
bool mlir_comm_op(struct mlir_lower *l, struct mlir_node *op);

/* ---- tiles (tile.c) ---- */
bool mlir_tile_op(struct mlir_lower *l, struct mlir_node *op);
struct mlir_tile *mlir_tile_new(struct mlir_lower *l, const char *name,
                                const struct mlir_type *type, const struct mlir_node *node);
/* `pto.subview` (subview.c). */
void mlir_subview(struct mlir_lower *l, struct mlir_node *op);
/* Elements of tiles (cell.c). */
bool mlir_cell_op(struct mlir_lower *l, struct mlir_node *op);
/* `pto.tget_scale_addr` (scale.c). */
bool mlir_scale_op(struct mlir_lower *l, struct mlir_node *op);
/* The operand as it is written: name, slot, `at` (text in parentheses or ""), valid region. */
const char *mlir_tile_text(struct mlir_lower *l, struct mlir_value *value, const char *at);
const char *mlir_tile_text_of(struct mlir_lower *l, struct mlir_value *value, const char *at,
                              const struct mlir_scalar *rows, const struct mlir_scalar *cols);
uint64_t mlir_tile_bytes(const struct mlir_tile *tile);
void mlir_tiles_declare(struct mlir_tile *tiles, struct mlir_out *out);
/* Of the cores of a kernel (sent.c). */
void mlir_share_tiles(struct mlir_lower *l, struct mlir_tile *const *tiles);

/* An operation one of whose operands is one of several tiles; false: none is (chosen.c). */
bool mlir_chosen_op(struct mlir_lower *l, struct mlir_node *op);

/* ---- instructions (op.c, unfold.c), synchronisation (flag.c), rings (ring.c) ---- */
bool mlir_table_op(struct mlir_lower *l, struct mlir_node *op);
/* The seven numbers of TIMG2COL that are attributes of `pto.timg2col`. */
enum { MLIR_UNFOLDED = 7 };
bool mlir_unfold(struct mlir_lower *l, struct mlir_node *op, struct mlir_scalar *number);
bool mlir_flag_op(struct mlir_lower *l, struct mlir_node *op);
bool mlir_ring_op(struct mlir_lower *l, struct mlir_node *op);
/* What the function and those that it calls say of rings; their declarations; and the registers of
 * a core that pops. */
void mlir_rings_find(struct mlir_lower *l, struct mlir_node *function);
void mlir_rings_declare(struct mlir_lower *l, struct mlir_out *out);
void mlir_rings_begin(struct mlir_lower *l);

/* ---- types that are written beside values (typed.c) ---- */
/* Read the type at *types, go on to the next one, and hold it against a value, if there is one. */
bool mlir_check_type(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name,
                     const struct mlir_node **types, const struct mlir_value *value);
/* `a, b {..} : T, T`, one type for each value, or none at all. */
bool mlir_check_types(struct mlir_lower *l, struct mlir_node *op, const struct mlir_args *args);
/* mlir_type_read of what stands in an operation. */
bool mlir_read_type(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node **at,
                    struct mlir_type *type);
/* The types behind the ':' of an operation, as mlir_forms.def says of what they are. */
void mlir_check_written(struct mlir_lower *l, struct mlir_node *op, const char *types);
/* `(T, T)` or one T, of as many values. */
bool mlir_check_list(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *list,
                     struct mlir_value *const *value, unsigned count);

/* ---- what is left over (form.c) ---- */
/* An error at the first thing in an operation that is no part of it; of one that was lowered. */
void mlir_check_form(struct mlir_lower *l, struct mlir_node *op);
/* Errors at operations of a function that stand in a wrong place, and at its head. */
void mlir_check_function(struct mlir_lower *l, struct mlir_node *function);

/* ---- control flow (flow.c) ---- */
/* An error of `op` at the name of an operation that is not known. */
void mlir_unknown(struct mlir_lower *l, struct mlir_node *op, const struct mlir_node *name);
void mlir_operation(struct mlir_lower *l, struct mlir_node *op);
void mlir_body(struct mlir_lower *l, const struct mlir_node *region);
bool mlir_flow_op(struct mlir_lower *l, struct mlir_node *op);
/* Counts an operation of a function that is called; false, the first time after an error, where
 * those are too many. */
bool mlir_may_follow(struct mlir_lower *l, struct mlir_node *op, uint32_t *count);
/* Whose program a function says that it is: 1 << enum pto_core_kind, 0: it does not say. */
unsigned mlir_function_cores(const struct mlir_node *function);

#endif
