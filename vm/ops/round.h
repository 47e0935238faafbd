/* Rounding f32 to integral values by the rules of isa/round.def: BY_RULE(mode)(x). */
#ifndef PTO_VM_OPS_ROUND_H
#define PTO_VM_OPS_ROUND_H

#include <math.h>
#include <stdbool.h>

#define BY_RULE(id) op_round_##id
#define NEGATIVE signbit(x)
#define KEPT_ODD (truncf(kept * 0.5f) != kept * 0.5f)
#define REST (cut > 0.0f)
#define ABOVE (cut > 0.5f)
#define TIE (cut == 0.5f)
#define ROUND(id, number, keyword, up, whole)                                                      \
    static inline float BY_RULE(id)(float x)                                                       \
    {                                                                                              \
        float kept = truncf(x), cut = fabsf(x - kept); /* exact */                                 \
                                                                                                   \
        (void)cut;                                                                                 \
        return (up) ? kept + copysignf(1.0f, x) : kept;                                            \
    }
#include "round.def"
#undef ROUND
#undef NEGATIVE
#undef KEPT_ODD
#undef REST
#undef ABOVE
#undef TIE

#endif
