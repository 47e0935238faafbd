#include "version.h"

const char *pto_version(void)
{
    return PTO_VERSION;
}
