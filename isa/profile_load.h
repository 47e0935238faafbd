/* Profiles by name.  They are text files of `key = value` lines (docs/profiles.md); a2, a3, a5,
 * mi300x and toy are built in from isa/profiles/, a user's file is named by its path and may say
 * `base = a2`. */
#ifndef PTO_PROFILE_LOAD_H
#define PTO_PROFILE_LOAD_H

#include "diag.h"
#include "profile.h"
#include "status.h"

/* Load by name (a2, a3, a5, mi300x, toy) or by path of a file (anything with a '/' or '.'). */
enum pto_status pto_profile_load(const char *name, struct pto_profile *profile,
                                 struct pto_diags *diags);
/* The profile `name` that the object says to be made for.  Only a built-in one is taken: an object
 * may come from anywhere, and must not choose a file of this machine to be read.  `remedy`: how the
 * user names another one, in the words of the program; NULL: nothing is said of it. */
enum pto_status pto_profile_load_of(const char *object, const char *name, const char *remedy,
                                    struct pto_profile *profile, struct pto_diags *diags);
/* Change what a loaded profile says: lines of one "key = value" each, without comments; `where` as
 * messages call their source. */
enum pto_status pto_profile_change(const char *const *lines, unsigned count, const char *where,
                                   struct pto_profile *profile, struct pto_diags *diags);

#endif
