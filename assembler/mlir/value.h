/* What the names of an imported function stand for while it is lowered. */
#ifndef ASM_MLIR_VALUE_H
#define ASM_MLIR_VALUE_H

#include "mlir/type.h"

enum { MLIR_MAX_SETUP = 600 };

enum mlir_value_kind {
    MLIR_V_BROKEN, /* its operation was wrong, which has been told */
    MLIR_V_SCALAR,
    MLIR_V_PTR,
    MLIR_V_VIEW,
    MLIR_V_PART,
    MLIR_V_TILE,
    MLIR_V_TILES,  /* a multi_tile_buf, of which `tile` has the valid region of each */
    MLIR_V_ARRAY,
    MLIR_V_BUFFER, /* room of a frontend pipe */
    MLIR_V_COUNTS, /* four numbers of a merge, a vector<4xi16> there: they lie in `tile` */
    MLIR_V_CHOICE  /* of two pointers, views, windows or tiles, by a condition known when it runs */
};

struct mlir_distance;

/* A number: its text here, and what is known of it. */
struct mlir_scalar {
    const char *text;  /* a literal, a %register or an expression in parentheses */
    const char *setup; /* the same over parameters and constants, NULL: only the run knows */
    bool is_float, is_const;
    bool is_loose;     /* a float that has more digits than its type: it is rounded where it meets
                        * elements, by mlir_exact where it is computed with */
    uint8_t bits;
    uint8_t dtype;     /* of a float: enum pto_dtype, or MLIR_F64 */
    int64_t i;         /* if it is constant */
    double f;          /* the same of a float, with all its digits */
    const struct mlir_distance *distance; /* it is one between windows; NULL: a plain number */
};

static inline bool mlir_is_one(const struct mlir_scalar *number)
{
    return number->is_const && number->i == 1;
}

/* Where windows of a communication context lie: the one in word `ranks` of it, or how far it is
 * from one window to another, in windows; it counts in `unit` bytes.  This is no number here, where
 * each rank has its own copy of an object: it only says which rank's copy a pointer means. */
struct mlir_distance {
    struct mlir_scalar ranks;
    bool is_difference;
    int64_t unit;
};

/* Elements of an object from one on; `offset` is the sum of what was added to the pointer. */
struct mlir_ptr {
    struct mlir_object *object;
    struct mlir_scalar offset;
    const char *rank; /* an expression: whose copy of the object; NULL: this rank's */
};

struct mlir_view {
    struct mlir_ptr base;
    uint8_t dtype, rank;
    struct mlir_scalar dim[MLIR_MAX_RANK], stride[MLIR_MAX_RANK];
};

struct mlir_part {
    const struct mlir_view *view;
    struct mlir_scalar at[MLIR_MAX_RANK], size[MLIR_MAX_RANK];
};

struct mlir_tile_value {
    struct mlir_tile *tile;
    struct mlir_scalar rows, cols; /* valid region */
    const char *slot;              /* register or number of its slot, NULL: it has one */
    const char *byte;              /* where it begins in the tile that it views, NULL: there */
};

struct mlir_value {
    uint8_t kind; /* enum mlir_value_kind */
    struct mlir_type type;
    union {
        struct mlir_scalar scalar;
        struct mlir_ptr ptr;
        struct mlir_view view;
        struct mlir_part part;
        struct mlir_tile_value tile;
        const char *array; /* its name */
        int64_t bytes; /* MLIR_V_BUFFER */
        struct {
            const char *condition;
            struct mlir_value *yes, *no;
        } choice;
    };
};

#endif
