/* Text of this project's language in the making, line by line, each with its origin. */
#ifndef ASM_MLIR_OUT_H
#define ASM_MLIR_OUT_H

#include "mlir/mlir.h"
#include "mlir/tree.h"

struct mlir_out {
    struct pto_buf text;
    struct mlir_place *place;
    uint32_t lines, capacity;
    unsigned indent;     /* levels of four blanks */
    uint32_t quoted;     /* last line of the imported file that was quoted; 0: begin anew */
    const struct mlir_text *source; /* lines of it are quoted as comments; NULL: none are */
};

/* A line that comes from `node`. */
void mlir_line(struct mlir_out *out, const struct mlir_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void mlir_out_append(struct mlir_out *out, const struct mlir_out *more);
void mlir_out_free(struct mlir_out *out);

#endif
