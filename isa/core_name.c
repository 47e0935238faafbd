#include "core_name.h"

const char *const pto_core_names[PTO_CORE_KINDS] = {[PTO_AIC] = "aic", [PTO_AIV] = "aiv"};
