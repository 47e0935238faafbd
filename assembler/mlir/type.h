/* Types of upstream text. */
#ifndef ASM_MLIR_TYPE_H
#define ASM_MLIR_TYPE_H

#include "dtype.h"
#include "mlir/tree.h"

enum mlir_type_kind {
    MLIR_T_INT,   /* `bits` wide; index counts as 64 */
    MLIR_T_FLOAT, /* `dtype` */
    MLIR_T_PTR,   /* to `dtype` in global memory */
    MLIR_T_VIEW,  /* tensor_view and partition_tensor_view of `dtype` */
    MLIR_T_TILE,
    MLIR_T_ARRAY, /* of the scalar unit, of `dtype` as scalars have it */
    MLIR_T_COUNTS, /* vector<4xi16>, what merges count in */
    MLIR_T_OTHER  /* known by its name alone */
};

enum { MLIR_DYNAMIC = -1 }; /* a '?' */
enum { MLIR_F64 = PTO_DTYPE_COUNT }; /* of scalars alone: no element has it */
enum { MLIR_MAX_RANK = 5 };

enum mlir_pad { MLIR_PAD_NULL, MLIR_PAD_ZERO, MLIR_PAD_MAX, MLIR_PAD_MIN };

struct mlir_type {
    uint8_t kind;  /* enum mlir_type_kind */
    uint8_t dtype; /* enum pto_dtype */
    uint8_t bits;
    uint8_t space, layout; /* tiles: enum pto_space, enum pto_layout */
    uint8_t pad;           /* enum mlir_pad */
    bool is_part;          /* partition_tensor_view */
    bool is_float;         /* the elements of an array */
    uint8_t rank;          /* of a view or an array, */
    int64_t dim[MLIR_MAX_RANK]; /* and what it says of each dimension */
    bool layout_by_space;  /* the space says the layout, whatever is written */
    int64_t rows, cols, valid_rows, valid_cols;
    uint32_t count;        /* of a multi_tile_buf: how many tiles; 0: one, a tile_buf */
};

/* Read the type that begins at *at and advance *at behind it; false after an error. */
bool mlir_type_read(struct mlir_text *t, const struct mlir_node **at, struct mlir_type *type);
/* What upstream calls an element type, or f64. */
const char *mlir_element_name(unsigned dtype);
/* Bits of a number of floating point. */
unsigned mlir_real_bits(unsigned dtype);
/* Do two descriptions of a value agree as far as they must? */
bool mlir_type_same(const struct mlir_type *a, const struct mlir_type *b);

#endif
