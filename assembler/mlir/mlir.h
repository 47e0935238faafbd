/* Upstream text (`.pto` files in MLIR spelling) to text of this project's language.
 *
 * What is taken and what is refused: docs/upstream.md.  The text that comes out is assembled like
 * any other; `line` says from where in the imported file each of its lines comes. */
#ifndef ASM_MLIR_MLIR_H
#define ASM_MLIR_MLIR_H

#include "diag.h"
#include "profile.h"
#include "status.h"

/* A place of the imported file; line 0: none. */
struct mlir_place {
    uint32_t line, column, length;
};

/* What becomes of the synchronisation that stands in a text. */
enum mlir_sync {
    MLIR_SYNC_KEEP, /* flags and barriers are taken over */
    MLIR_SYNC_DROP  /* those inside of a sub-core are left out; cross-core flags stay */
};

struct mlir_options {
    const struct pto_profile *profile;
    const char *function; /* the only one that becomes a kernel; NULL: all that nobody calls */
    enum mlir_sync sync;
};

struct mlir_result {
    struct pto_buf text;      /* of this project's language */
    struct mlir_place *place; /* [lines], of line i + 1 */
    uint32_t lines, capacity;
    bool has_flags; /* the imported text synchronises pipes itself */
};

bool mlir_is_text(const char *text, size_t size);
/* The machine that a text names (`pto.target_arch`), "a3" where it names none. */
const char *mlir_profile(const char *text, size_t size);
/* The text of all kernels; PTO_EPROGRAM after errors.  The caller frees the result either way. */
enum pto_status mlir_import(const char *name, const char *text, size_t size,
                            const struct mlir_options *options, struct mlir_result *result,
                            struct pto_diags *diags);
void mlir_result_free(struct mlir_result *result);
/* Diagnostics about the text that came out, as diagnostics about the imported file: what `from`
 * holds is added to `to`. */
void mlir_move_diags(const struct mlir_result *result, const char *name,
                     const struct pto_diags *from, struct pto_diags *to);

#endif
