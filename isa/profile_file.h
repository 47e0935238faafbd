/* Text of a profile into `struct pto_profile`: keys, values, completeness, relations between keys.
 * Internal to profile_load.c, which finds the text. */
#ifndef PTO_PROFILE_FILE_H
#define PTO_PROFILE_FILE_H

#include "diag.h"
#include "profile.h"
#include "status.h"

/* Read a whole text; `file` is what messages call it.  All problems go to `diags`. */
enum pto_status profile_file_read(const char *file, const char *text, struct pto_profile *profile,
                                  struct pto_diags *diags);
/* Read lines that change a complete profile. */
enum pto_status profile_file_change(const char *file, const char *text,
                                    struct pto_profile *profile, struct pto_diags *diags);

#endif
