/* Which build of the program this is. */
#ifndef PTO_CLI_BUILD_H
#define PTO_CLI_BUILD_H

#include <stdint.h>

/* Of the program's own file: structures go as they are to processes of the same build, and to later
 * ones. */
uint64_t cli_build_hash(void);

#endif
