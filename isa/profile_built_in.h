/* The profiles that are built in. */
#ifndef PTO_PROFILE_BUILT_IN_H
#define PTO_PROFILE_BUILT_IN_H

#include "arena.h"

/* Names of the built-in profiles, NULL at the end. */
const char *const *pto_profile_names(void);
/* The text of one, or NULL; and all names, each behind a blank. */
const char *profile_built_in(const char *name);
const char *profile_built_in_list(struct pto_arena *arena);

#endif
