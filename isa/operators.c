#include "operators.h"

#include <string.h>

#include "ops.h"

enum { PTO_OP_NONE = -1 }; /* what NONE in the table becomes */

#define INFIX(id, text, level, of_integers, of_floats)                                             \
    {text, PTO_INFIX, level, 2, false, PTO_OP_##of_integers, PTO_OP_##of_floats},
#define MIRRORED(id, text, level, of_integers, of_floats)                                          \
    {text, PTO_INFIX, level, 2, true, PTO_OP_##of_integers, PTO_OP_##of_floats},
#define PREFIX(id, text)                                                                           \
    {text, PTO_PREFIX, PTO_LEVEL_TIGHTEST, 1, false, PTO_OP_NONE, PTO_OP_NONE},
#define FUNCTION(id, text, operands, of_integers, of_floats)                                       \
    {text, PTO_FUNCTION, PTO_LEVEL_TIGHTEST, operands, false, PTO_OP_##of_integers,                \
     PTO_OP_##of_floats},
static const struct pto_operator table[PTO_OPERATOR_COUNT] = {
#include "operators.def"
};
#undef INFIX
#undef MIRRORED
#undef PREFIX
#undef FUNCTION

const struct pto_operator *pto_operator(enum pto_operator_id id)
{
    return &table[id];
}

int pto_operator_find(enum pto_fixity fixity, const char *text)
{
    for (int id = 0; id < PTO_OPERATOR_COUNT; id++)
        if (table[id].fixity == fixity && !strcmp(table[id].text, text))
            return id;
    return -1;
}

int pto_operator_of(unsigned op)
{
    for (int id = 0; id < PTO_OPERATOR_COUNT; id++)
        if (!table[id].mirrored &&
            (table[id].of_integers == (int)op || table[id].of_floats == (int)op))
            return id;
    return -1;
}
