/* Text of a profile into `struct pto_profile`: keys, values, completeness, relations between keys.
 * Internal to the profile reader; profile.c finds the text. */
#ifndef PTO_PROFILE_FILE_H
#define PTO_PROFILE_FILE_H

#include "profile.h"

/* Read a whole text; `file` is what messages call it.  All problems go to `diags`. */
enum pto_status profile_file_read(const char *file, const char *text, struct pto_profile *profile,
                                  struct pto_diags *diags);
/* The text of a built-in profile, or NULL; and all their names, each after a blank. */
const char *profile_built_in(const char *name);
const char *profile_built_in_list(struct pto_arena *arena);

#endif
