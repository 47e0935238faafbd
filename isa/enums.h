/* Enumerated sets: pipes, rounding modes, comparisons and other keywords, from enums.def. */
#ifndef PTO_ENUMS_H
#define PTO_ENUMS_H

#define ENUM(set, name)
#define ENUM_VALUE(set, id, keyword, value) PTO_##set##_##id = (value),
/* Values of all sets, PTO_PIPE_V, PTO_ROUND_RINT, ...: they travel as plain integers. */
enum {
#include "enums.def"
};
#undef ENUM
#undef ENUM_VALUE

/* The enumerated sets themselves. */
#define ENUM(set, name) PTO_ENUM_##set,
#define ENUM_VALUE(set, id, keyword, value)
enum pto_enum {
#include "enums.def"
    PTO_ENUM_COUNT
};
#undef ENUM
#undef ENUM_VALUE

const char *pto_enum_name(enum pto_enum set);
/* Value of a keyword in a set, or -1; and back (NULL if there is none). */
int pto_enum_find(enum pto_enum set, const char *keyword);
const char *pto_enum_keyword(enum pto_enum set, int value);

#endif
