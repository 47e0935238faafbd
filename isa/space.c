#include "space.h"

#include <string.h>

#include "arena.h"

enum {
    BLOCK_BYTES = 32,   /* C0: what a fractal holds of the inner dimension */
    FRACTAL_OUTER = 16, /* the other side of every fractal */
};

#define ROWS false
#define COLS true
#define LAYOUT(id, number, name, box, blocks) [PTO_##id] = {name, PTO_BOX_##box, blocks},
const struct pto_layout_info pto_layouts[PTO_LAYOUT_COUNT] = {
#include "layout.def"
};
#undef LAYOUT

#define C0 false
#define SQUARE true
#define ADDRESS_SPACE(id, number, name, core, side, layout, layouts, a5)                           \
    [PTO_##id] = {name, PTO_##core, side, PTO_##layout, layouts, a5},
const struct pto_space_info pto_spaces[PTO_SPACE_COUNT] = {
#include "space.def"
};
#undef ADDRESS_SPACE

#define ADDRESS_SPACE(id, number, name, ...) " " name
const char pto_space_words[] =
#include "space.def"
    ;
#undef ADDRESS_SPACE
#define LAYOUT(id, number, name, ...) " " name
const char pto_layout_words[] =
#include "layout.def"
    ;
#undef LAYOUT

const char *pto_space_name(enum pto_space space)
{
    return pto_spaces[space].name;
}

int pto_space_find(const char *name)
{
    for (int i = 0; i < PTO_SPACE_COUNT; i++)
        if (!strcmp(name, pto_spaces[i].name))
            return i;
    return -1;
}

const char *pto_layout_name(enum pto_layout layout)
{
    return pto_layouts[layout].name;
}

int pto_layout_find(const char *name)
{
    for (int i = 0; i < PTO_LAYOUT_COUNT; i++)
        if (!strcmp(name, pto_layouts[i].name))
            return i;
    return -1;
}

/* Source: pto-isa, include/pto/common/pto_tile.hpp (inner boxes of the fractals). */
void pto_fractal(enum pto_layout layout, enum pto_space space, unsigned dtype_bytes,
                 unsigned *rows, unsigned *cols)
{
    unsigned inner = pto_spaces[space].square ? FRACTAL_OUTER : BLOCK_BYTES / dtype_bytes;

    switch (pto_layouts[layout].box) {
    case PTO_BOX_WIDE:
        *rows = FRACTAL_OUTER;
        *cols = inner;
        break;
    case PTO_BOX_TALL:
        *rows = inner;
        *cols = FRACTAL_OUTER;
        break;
    default:
        *rows = *cols = 1;
    }
}

void pto_space_list(struct pto_buf *out, unsigned spaces)
{
    unsigned left = 0;
    const char *separator = "";

    for (unsigned i = 0; i < PTO_SPACE_COUNT; i++)
        left += spaces >> i & 1;
    for (unsigned i = 0; i < PTO_SPACE_COUNT; i++) {
        if (!(spaces >> i & 1))
            continue;
        pto_buf_printf(out, "%s%s", separator, pto_spaces[i].name);
        separator = --left == 1 ? " and " : ", ";
    }
}
