/* Views of the table ops.def. */
#include "ops.h"

#include <string.h>

#include "dtype.h"

#define PTO_OP(id, number, mnemonic, class, route, cost, types, types_a5, meaning, ...)            \
    [PTO_OP_##id] = {mnemonic,                                                                     \
                     class,                                                                        \
                     route,                                                                        \
                     cost,                                                                         \
                     types,                                                                        \
                     types_a5,                                                                     \
                     meaning,                                                                      \
                     number,                                                                       \
                     sizeof((struct pto_operand_spec[]){__VA_ARGS__}) /                            \
                         sizeof(struct pto_operand_spec),                                          \
                     {__VA_ARGS__}},
#define PTO_PSEUDO_OP(id, ...) PTO_OP(id, PTO_NO_NUMBER, __VA_ARGS__)
const struct pto_op_info pto_op_rows[PTO_ROW_COUNT] = {
#include "ops.def"
};
#undef PTO_OP
#undef PTO_PSEUDO_OP

const char *pto_queue_name(unsigned queue)
{
    return queue == PTO_DMA ? "DMA" : pto_enum_keyword(PTO_ENUM_PIPE, (int)queue);
}

static int find_op(unsigned first, unsigned end, const char *mnemonic)
{
    for (unsigned op = first; op < end; op++)
        if (!strcmp(pto_op_rows[op].mnemonic, mnemonic))
            return (int)op;
    return -1;
}

int pto_op_numbered(unsigned number)
{
    switch (number) {
#define PTO_OP(id, number, ...)                                                                    \
    case number:                                                                                   \
        return PTO_OP_##id;
#include "ops.def"
#undef PTO_OP
    default:
        return -1;
    }
}

int pto_op_find(const char *mnemonic)
{
    return find_op(0, PTO_OP_COUNT, mnemonic);
}

int pto_pseudo_op_find(const char *mnemonic)
{
    return find_op(PTO_OP_COUNT, PTO_ROW_COUNT, mnemonic);
}

int pto_op_next(unsigned op)
{
    return find_op(op + 1, PTO_ROW_COUNT, pto_op_rows[op].mnemonic);
}

static unsigned hash_of(const char *mnemonic)
{
    unsigned hash = 0;

    for (; *mnemonic; mnemonic++)
        hash = hash * 31 + (unsigned char)*mnemonic;
    return (hash ^ hash >> 8) & 255;
}

void pto_op_index_make(struct pto_op_index *index)
{
    for (unsigned i = 0; i < 256; i++)
        index->head[i] = -1;
    for (unsigned op = PTO_ROW_COUNT; op-- > 0;) {
        unsigned hash = hash_of(pto_op_rows[op].mnemonic);

        index->next[op] = index->head[hash];
        index->head[hash] = (int16_t)op;
    }
}

/* The first row from `op` on in its chain that has the mnemonic. */
static int find_in_chain(const struct pto_op_index *index, int op, const char *mnemonic)
{
    while (op >= 0 && strcmp(pto_op_rows[op].mnemonic, mnemonic) != 0)
        op = index->next[op];
    return op;
}

int pto_op_index_find(const struct pto_op_index *index, const char *mnemonic)
{
    return find_in_chain(index, index->head[hash_of(mnemonic)], mnemonic);
}

int pto_op_index_next(const struct pto_op_index *index, unsigned op)
{
    return find_in_chain(index, index->next[op], pto_op_rows[op].mnemonic);
}

/* Does one alternative ("f32,f16,f16", `length` characters) fit? */
static bool alternative_matches(const char *text, size_t length, const uint8_t *dtypes,
                                unsigned count)
{
    bool single = !memchr(text, ',', length);
    const char *end = text + length;

    for (unsigned i = 0; i < count; i++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        size_t word = (size_t)((comma ? comma : end) - text);
        const char *name = pto_dtype_name(dtypes[i]);
        bool any = word == 1 && *text == '*';

        if (!any && (strlen(name) != word || memcmp(name, text, word) != 0))
            return false;
        if (single)
            continue;
        if (!comma)
            return i + 1 == count;
        text = comma + 1;
    }
    return single;
}

/* Is there one among those that begin with `sign`, 0: with none? */
static bool list_matches(const char *types, char sign, const uint8_t *dtypes, unsigned count)
{
    while (*types) {
        size_t length = strcspn(types, " "), first = sign && *types == sign;

        if ((first || !sign) &&
            alternative_matches(types + first, length - first, dtypes, count))
            return true;
        types += length + strspn(types + length, " ");
    }
    return false;
}

bool pto_types_match(const struct pto_op_info *info, bool a5, const uint8_t *dtypes,
                     unsigned count)
{
    if (!*info->types && !*info->types_a5)
        return true;
    if (!a5)
        return list_matches(info->types, 0, dtypes, count);
    return (list_matches(info->types, 0, dtypes, count) ||
            list_matches(info->types_a5, 0, dtypes, count)) &&
           !list_matches(info->types_a5, '-', dtypes, count);
}
