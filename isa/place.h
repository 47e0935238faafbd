/* Diagnostics about places of a module: file, line and column come from the module's positions,
 * the chain of includes and macro uses becomes the trail. */
#ifndef PTO_PLACE_H
#define PTO_PLACE_H

#include "diag.h"
#include "module.h"

enum { PTO_TRAIL_DEPTH = 16 }; /* of an object's chains that may be very long */

/* Position `index` of the module, or NULL if there is none: no module (NULL), no such position
 * (-1), a position in a file that it does not have. */
const struct pto_pos *pto_place(const struct pto_module *module, int64_t index);
/* The place to name first: of the chain, the innermost position in the file of the outermost, which
 * is the program's own and not a library's.  NULL as above. */
const struct pto_pos *pto_place_first(const struct pto_module *module, int64_t index);
/* Append a diagnostic at position `index` of the module; an index that leads nowhere gives one
 * without a place. */
struct pto_diag *pto_diag_at(struct pto_diags *diags, enum pto_severity severity,
                             const struct pto_module *module, uint32_t index, const char *text);

#endif
