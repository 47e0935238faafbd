/* The functions of one level as a table by instruction. */
#include "cube.h"
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

static op_function *const functions[PTO_OP_COUNT] = {
#include "ops.def"
};

/* The set of the level alone, or with what multiplies int8. */
#define SET(set, name, engine)                                                                     \
    extern const struct op_set OP_NAME(set);                                                       \
    const struct op_set OP_NAME(set) = {.level = (name),                                           \
                                        .function = functions,                                     \
                                        .land = op_land,                                           \
                                        .collect = op_collect,                                     \
                                        .int8 = (engine)};
SET(set, TEXT(OP_LEVEL), NULL)
#ifdef OP_HAVE_VNNI
SET(set_vnni, TEXT(OP_LEVEL) "vnni", &cube_vnni)
#endif
#ifdef OP_HAVE_AMX
SET(set_amx, "amx", &cube_amx)
#endif
