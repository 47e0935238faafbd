/* Rules and kinds of findings, as the manual describes them. */
#ifndef PTO_TOOL_RULES_H
#define PTO_TOOL_RULES_H

#include "arena.h"

/* What the table of a page ("lint", "check") says of a rule; NULL: there is no such row. */
const char *tool_rule_text(const char *page, const char *rule);
/* Where a page of the manual tells more: a URI in the arena, with the rule's row unless that is
 * NULL.  The pages are those at PTO_DOCS_URL if the build was given one, else what is installed
 * beside the program or lies in its build tree; NULL: there are none. */
const char *tool_rule_uri(const char *page, const char *rule, struct pto_arena *arena);

#endif
