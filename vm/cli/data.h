/* Objects and files: binding inputs, writing outputs, walking over elements. */
#ifndef PTO_CLI_DATA_H
#define PTO_CLI_DATA_H

#include "cli/loaded.h"
#include "data/source.h"

/* Who is told, every now and then, how much of the inputs is made when that takes long. */
struct cli_filling {
    void (*tell)(void *context, const char *object, int rank, double seconds, double share);
    void *context;
};

/* Inputs between binding and filling. */
struct cli_inputs {
    struct cli_input *item;
    unsigned count, capacity;
};

/* Before pto_vm_prepare: bind every --in.  What depends on the declared shape (generators, raw
 * files) is bound without contents. */
enum pto_status cli_inputs_bind(const struct cli_options *options, struct cli_launch *launch,
                                struct cli_inputs *inputs, struct pto_diags *diags);
/* After pto_vm_prepare: write those contents.  `filling` may be NULL. */
enum pto_status cli_inputs_fill(struct cli_launch *launch, const struct cli_inputs *inputs,
                                const struct cli_filling *filling, struct pto_diags *diags);
void cli_inputs_free(struct cli_inputs *inputs);

/* Before the run: does every --out name an object, and a file per rank? */
enum pto_status cli_outputs_check(const struct cli_options *options,
                                  const struct cli_launch *launch, struct pto_diags *diags);
/* After the run: write the files. */
enum pto_status cli_outputs_write(const struct cli_options *options,
                                  const struct cli_launch *launch, struct pto_diags *diags);

/* Is a name given twice?  One error for each. */
enum pto_status cli_pairs_check(const struct cli_pairs *pairs, const char *option,
                                struct pto_diags *diags);
/* Do the pairs leave a name to what a host program gives?  An error if not. */
bool cli_pairs_leave(const struct cli_pairs *pairs, const char *option, const char *name,
                     struct pto_diags *diags);
/* An object after pto_vm_prepare; the name is known to be declared. */
void cli_object_info(const struct cli_launch *launch, int rank, const char *name,
                     struct pto_object_info *info);
/* Is an object of this kind (enum pto_object_kind) a result of its kernel? */
bool cli_is_result(uint8_t kind);
/* Elements of an object, the product of its dimensions. */
uint64_t cli_object_count(const struct pto_object_info *info);
/* "[4, 1024]" */
void cli_shape_text(const uint64_t *dim, unsigned dims, struct pto_buf *out);

/* Row-major walk over an object with any strides, in pieces of `run` elements that touch. */
struct cli_cursor {
    const struct pto_object_info *info;
    unsigned size;               /* bytes of an element */
    uint64_t run;                /* elements of a piece */
    unsigned dims;               /* those that tell pieces apart */
    uint64_t index[PTO_MAX_DIMS]; /* of the piece */
    uint8_t *at;                 /* its first element */
};
void cli_cursor_start(struct cli_cursor *cursor, const struct pto_object_info *info);
void cli_cursor_next(struct cli_cursor *cursor);

#endif
