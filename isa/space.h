/* Where bytes live on a chip, and how the elements of a tile lie there: tables space.def and
 * layout.def.  See docs/language.md, "Layouts". */
#ifndef PTO_SPACE_H
#define PTO_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct pto_buf;

enum pto_core_kind { PTO_AIC, PTO_AIV, PTO_CORE_KINDS };

enum pto_layout {
#define LAYOUT(id, number, ...) PTO_##id = (number),
#include "layout.def"
#undef LAYOUT
#define LAYOUT(...) +1
    PTO_LAYOUT_COUNT = 0
#include "layout.def"
#undef LAYOUT
};

/* GM is not a space: global objects have their own table. */
enum pto_space {
#define ADDRESS_SPACE(id, number, ...) PTO_##id = (number),
#include "space.def"
#undef ADDRESS_SPACE
#define ADDRESS_SPACE(...) +1
    PTO_SPACE_COUNT = 0
#include "space.def"
#undef ADDRESS_SPACE
};

/* One box of a layout; see layout.def. */
enum pto_box { PTO_BOX_ONE, PTO_BOX_WIDE, PTO_BOX_TALL };

struct pto_layout_info {
    const char *name;
    uint8_t box;        /* enum pto_box */
    bool columns_first; /* block columns are outermost, else block rows */
};

enum { PTO_OF_PROFILE = PTO_LAYOUT_COUNT }; /* the profile says which (pto_profile_layout) */

struct pto_space_info {
    const char *name;
    uint8_t core;    /* enum pto_core_kind: whose memory it is */
    bool square;     /* fractals are 16 x 16, whatever the type */
    uint8_t layout;  /* of a tile that says none: enum pto_layout or PTO_OF_PROFILE */
    uint8_t layouts; /* that it can hold: mask of 1 << enum pto_layout */
    uint8_t layouts_a5; /* on level a5 also these */
};

extern const struct pto_layout_info pto_layouts[PTO_LAYOUT_COUNT];
extern const struct pto_space_info pto_spaces[PTO_SPACE_COUNT];

const char *pto_space_name(enum pto_space space); /* "ub", "l1", "l0a", ... */
int pto_space_find(const char *name);             /* -1 if unknown */
const char *pto_layout_name(enum pto_layout layout); /* "nd", ... */
int pto_layout_find(const char *name);

/* Row or column major, without fractals. */
static inline bool pto_layout_is_plain(enum pto_layout layout)
{
    return pto_layouts[layout].box == PTO_BOX_ONE;
}

/* Box of a layout in a space: rows x columns of elements; plain layouts: 1 x 1. */
void pto_fractal(enum pto_layout layout, enum pto_space space, unsigned dtype_bytes,
                 unsigned *rows, unsigned *cols);

/* All names, each behind a blank: " ub l1 l0a ...", " nd dn ...". */
extern const char pto_space_words[], pto_layout_words[];
/* Append the names of some spaces (mask of 1 << enum pto_space) as a text: "l1, l0a and l0b". */
void pto_space_list(struct pto_buf *out, unsigned spaces);

#endif
