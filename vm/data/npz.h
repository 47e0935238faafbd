/* NumPy's .npz archives: zip files whose members are .npy files, as bytes in memory.  What opens
 * and makes them is libzip; where it is missing, whoever asks is told so. */
#ifndef PTO_DATA_NPZ_H
#define PTO_DATA_NPZ_H

#include <stdint.h>

#include "arena.h"
#include "diag.h"
#include "status.h"

/* Which member is wanted. */
struct cli_npz_choice {
    const char *path;   /* of the archive, for the messages */
    const char *member; /* without ".npy"; NULL: the one called `name`, or the only one */
    const char *name;
};

/* One array of an archive that is written. */
struct cli_npz_member {
    const char *name;  /* without ".npy" */
    struct pto_buf npy;
};

/* Append the bytes of the chosen member, a .npy file, to `npy`; *label, in the arena, is what
 * messages call it: "z.npz:a".  No more is unpacked than this host has memory for.  PTO_ECONFIG: it
 * is no archive, has no such member, or holds something that cannot be unpacked. */
enum pto_status cli_npz_read(const uint8_t *bytes, size_t size, const struct cli_npz_choice *choice,
                             struct pto_arena *arena, struct pto_buf *npy, const char **label,
                             struct pto_diags *diags);
/* Append an archive of members that are not compressed: the same arrays give the same bytes.
 * PTO_ESYSTEM: libzip has failed or is not there; `path` is for the message. */
enum pto_status cli_npz_write(const struct cli_npz_member *member, unsigned count,
                              const char *path, struct pto_buf *out, struct pto_diags *diags);
/* Why there are no archives where there is no libzip; `what`: "reads" or "writes".  PTO_ECONFIG. */
enum pto_status cli_npz_none(const char *path, const char *what, const char *hint,
                             struct pto_diags *diags);

#endif
