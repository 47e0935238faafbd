#include "enums.h"

#include <stddef.h>
#include <string.h>

#define ENUM(set, name) [PTO_ENUM_##set] = name,
#define ENUM_VALUE(set, id, keyword, value)
static const char *const enum_names[PTO_ENUM_COUNT] = {
#include "enums.def"
};
#undef ENUM
#undef ENUM_VALUE

#define ENUM(set, name)
#define ENUM_VALUE(set, id, keyword, value) {PTO_ENUM_##set, value, keyword},
static const struct {
    enum pto_enum set;
    int value;
    const char *keyword;
} enum_values[] = {
#include "enums.def"
};
#undef ENUM
#undef ENUM_VALUE

const char *pto_enum_name(enum pto_enum set)
{
    return enum_names[set];
}

int pto_enum_find(enum pto_enum set, const char *keyword)
{
    for (size_t i = 0; i < sizeof enum_values / sizeof *enum_values; i++)
        if (enum_values[i].set == set && !strcmp(enum_values[i].keyword, keyword))
            return enum_values[i].value;
    return -1;
}

const char *pto_enum_keyword(enum pto_enum set, int value)
{
    for (size_t i = 0; i < sizeof enum_values / sizeof *enum_values; i++)
        if (enum_values[i].set == set && enum_values[i].value == value)
            return enum_values[i].keyword;
    return NULL;
}
