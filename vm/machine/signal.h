/* What a wait for a signal asks of an element. */
#ifndef PTO_MACHINE_SIGNAL_H
#define PTO_MACHINE_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "enums.h"

static inline bool signal_is(int64_t element, int comparison, int64_t value)
{
    switch (comparison) {
    case PTO_CMP_EQ: return element == value;
    case PTO_CMP_NE: return element != value;
    case PTO_CMP_LT: return element < value;
    case PTO_CMP_LE: return element <= value;
    case PTO_CMP_GT: return element > value;
    default: return element >= value;
    }
}

#endif
