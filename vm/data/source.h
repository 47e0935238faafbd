/* Where data come from: FILE[:DTYPE] or FILE.npz[:MEMBER[:DTYPE]], with {rank} in the name for a
 * file per rank, or a generator.  A file whose name ends in .npy or .npz is one or an error; others
 * are .npy if they begin like one, else raw little-endian elements. */
#ifndef PTO_DATA_SOURCE_H
#define PTO_DATA_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "data/generate.h"
#include "diag.h"
#include "ops.h"
#include "status.h"

struct cli_source {
    bool generated;
    struct cli_generator generator;
    const char *pattern; /* file name, perhaps with {rank} */
    const char *member;  /* of an archive; NULL: the one called `name`, or the only one */
    const char *name;    /* of the object or parameter */
    bool per_rank;       /* the pattern holds {rank} */
    int dtype;           /* enum pto_dtype that the user named, or -1 */
};

/* Contents of one file. */
struct cli_array {
    uint8_t dtype;     /* enum pto_dtype */
    bool shaped;       /* dims and dim are known (.npy) */
    unsigned dims;
    uint64_t dim[PTO_MAX_DIMS];
    uint64_t count;    /* elements */
    const uint8_t *data;
    void *owner;       /* malloc'ed: what they lie in */
};

/* Take `text` apart; `option` and `name` are for the messages: --in a=text. */
enum pto_status cli_source_parse(const char *option, const char *name, const char *text,
                                 struct pto_arena *arena, struct cli_source *source,
                                 struct pto_diags *diags);
/* Does a file of this name have to be an archive of arrays?  An array? */
bool cli_source_is_npz(const char *path);
bool cli_source_is_npy(const char *path);
/* Append the source with another type of its elements: "a.npy:bf16", "z.npz:a:bf16". */
void cli_source_retyped(const struct cli_source *source, enum pto_dtype dtype, struct pto_buf *out);
/* The file name for a rank. */
const char *cli_source_path(const char *pattern, int rank, struct pto_arena *arena);
/* Read the file of a rank.  `declared`: type of raw elements that the user did not name.  A file is
 * not read if it has more than `most` bytes (0: than this host has memory for), or if its name says
 * that it is an array and its beginning is none's. */
enum pto_status cli_source_load(const struct cli_source *source, int rank, enum pto_dtype declared,
                                uint64_t most, struct cli_array *array, struct pto_diags *diags);

#endif
