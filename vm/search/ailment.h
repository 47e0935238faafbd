/* A run that was not clean, for those who look for a remedy. */
#ifndef PTO_SEARCH_AILMENT_H
#define PTO_SEARCH_AILMENT_H

#include "cli/findings.h"
#include "cli/sheet.h"

/* What is wrong, and with which texts. */
struct cli_ailment {
    const struct cli_findings *findings;
    struct pto_vm *vm;                 /* that ended with a fault, perhaps */
    struct cli_sheet *sheet;
    unsigned sheets;
};

#endif
