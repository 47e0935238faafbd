/* The values of a profile, one by one, as a profile file writes them. */
#ifndef PTO_PROFILE_TEXT_H
#define PTO_PROFILE_TEXT_H

#include "profile.h"

/* Call `tell` with each key and its value ("gm_bandwidth", "1.6 TB/s"), in the order of
 * docs/profiles.md; a path that does not exist is "none", and an optional key of 0 is left out,
 * as are classes that cost what another does.
 * A file of lines "key = value" is a profile with the same values. */
void pto_profile_text(const struct pto_profile *profile,
                      void (*tell)(void *context, const char *key, const char *value),
                      void *context);

#endif
