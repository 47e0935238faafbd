/* The functions of one level as a table by instruction. */
#include "level.h"
#include "transfer.h"

#define PTO_OP(id, number, mnemonic, class, ...) ENTRY_##class(id)
#define ENTRY_PTO_SCALAR(id)
#define ENTRY_PTO_FLOW(id)
#define ENTRY_PTO_ACCESS(id)
#define ENTRY_PTO_SYNC(id)
#define ENTRY_PTO_MACRO(id)
#define ENTRY_PTO_ASYNC(id)
#define ENTRY_PTO_TILE(id) [PTO_OP_##id] = OP_NAME(id),

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

extern const struct op_set OP_NAME(set);
const struct op_set OP_NAME(set) = {
    .level = TEXT(OP_LEVEL),
    .function = {
#include "ops.def"
    },
    .land = op_land,
    .collect = op_collect,
};
