/* The matrix of all windows of a feature map (TIMG2COL): whether a part of it exists, and where
 * its elements come from.  The verifier asks with literals, the machine with what it has. */
#ifndef PTO_IMG2COL_H
#define PTO_IMG2COL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits of the register `fmatrix`, from the lowest: 16 of the width, 16 of the height, 8 each of the
 * padding left, right, top and bottom. */
enum { IMG2COL_SIDE_BITS = 16, IMG2COL_PAD_BITS = 8 };

/* Operands of the instruction that are numbers, from the third on. */
enum img2col_number {
    IMG2COL_POS_M,
    IMG2COL_POS_K,
    IMG2COL_FMATRIX,
    IMG2COL_FILTER_H,
    IMG2COL_FILTER_W,
    IMG2COL_STRIDE_H,
    IMG2COL_STRIDE_W,
    IMG2COL_DILATION_H,
    IMG2COL_DILATION_W,
    IMG2COL_NUMBERS,
    IMG2COL_FIRST_OPERAND = 2
};

struct img2col {
    /* given */
    int64_t number[IMG2COL_NUMBERS];
    uint8_t dtype, layout;           /* of the source: nz rows are positions, nd rows are positions
                                        of one block of channels after the other */
    uint32_t rows, cols, tile_rows;  /* its valid region, the rows that it is declared with */
    bool window;                     /* it is one of a tile with more in its lines */
    uint32_t dst_rows, dst_cols;     /* the valid region of the destination */
    /* what follows */
    int64_t height, width, left, top; /* of the map and its padding */
    int64_t out_width, windows;       /* in a row, in all */
    int64_t blocks;                   /* of channels, C1 */
    uint32_t block;                   /* channels in one, C0 */
    unsigned at_fault;                /* or: which operand is wrong */
};

/* Fill in what follows from what is given.  False: there is no such part, `text` says why. */
bool img2col_plan(struct img2col *g, char *text, size_t room);

/* Position of the map under element `k` of the filter, of window m: false if it lies in the
 * padding.  k counts blocks of channels outermost, then rows and columns of the filter. */
bool img2col_source(const struct img2col *g, int64_t m, int64_t k, int64_t *position,
                    int64_t *block);

#endif
