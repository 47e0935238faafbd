/* The JSON that programs write; ptoas shares it. */
#ifndef PTO_CLI_JSON_H
#define PTO_CLI_JSON_H

#include "tool/json.h"

#endif
