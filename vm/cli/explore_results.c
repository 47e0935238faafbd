#include "cli/explore_results.h"

#include <stdlib.h>
#include <string.h>

#include "cli/data.h"
#include "cli/faults.h"

static bool is_result(const struct pto_object_info *info)
{
    return info->kind == PTO_OBJ_OUT || info->kind == PTO_OBJ_INOUT;
}

static void keep_all(struct explore_results *results, const struct pto_vm *vm)
{
    struct pto_object_info info;

    for (int rank = 0; rank < pto_vm_ranks(vm); rank++)
        for (unsigned i = 0; pto_vm_object(vm, rank, i, &info); i++) {
            struct explore_kept *kept;

            if (!is_result(&info))
                continue;
            PTO_GROW(results->kept, results->count, results->capacity);
            kept = &results->kept[results->count++];
            *kept = (struct explore_kept){.rank = rank, .index = i, .size = info.size,
                                          .data = pto_xmalloc(info.size + 1)};
            memcpy(kept->data, info.data, info.size);
        }
    results->known = true;
}

/* Where the element at this byte is: "[1, 3]". */
static void print_index(const struct pto_object_info *info, uint64_t byte, struct pto_buf *out)
{
    uint64_t element = byte / pto_dtype_size((enum pto_dtype)info->dtype), rest = 1;

    for (unsigned d = 0; d < info->dims; d++)
        rest *= info->dim[d];
    pto_buf_printf(out, "[");
    for (unsigned d = 0; d < info->dims; d++) {
        rest /= info->dim[d];
        pto_buf_printf(out, "%s%llu", d ? ", " : "", (unsigned long long)(element / rest));
        element %= rest;
    }
    pto_buf_printf(out, "]");
}

static void tell_difference(const struct explore_kept *kept, const struct pto_object_info *info,
                            struct pto_buf *out)
{
    uint64_t first = 0;

    while (kept->data[first] == info->data[first])
        first++;
    pto_buf_printf(out, "different results: %s of rank %d depends on the order of events, "
                        "first at ", info->name, kept->rank);
    print_index(info, first, out);
    pto_buf_printf(out, "\n");
}

bool explore_results_compare(struct explore_results *results, const struct pto_vm *vm,
                             struct pto_buf *out)
{
    bool found = false;

    if (!results->known) {
        keep_all(results, vm);
        return false;
    }
    for (unsigned i = 0; i < results->count; i++) {
        struct explore_kept *kept = &results->kept[i];
        struct pto_object_info info;

        pto_vm_object(vm, kept->rank, kept->index, &info);
        if (kept->differs || !memcmp(kept->data, info.data, kept->size))
            continue;
        tell_difference(kept, &info, out);
        kept->differs = found = true;
    }
    return found;
}

bool explore_results_failed(struct explore_results *results, struct pto_vm *vm,
                            struct pto_buf *out)
{
    const struct pto_fault *fault = pto_vm_fault(vm);
    struct explore_failure failure = {fault->status, fault->module, fault->pos, fault->rank};

    for (unsigned i = 0; i < results->failures; i++) {
        const struct explore_failure *old = &results->failure[i];

        if (old->status == failure.status && old->module == failure.module &&
            old->pos == failure.pos && old->rank == failure.rank)
            return false;
    }
    PTO_GROW(results->failure, results->failures, results->failure_capacity);
    results->failure[results->failures++] = failure;
    cli_fault_text(fault, NULL, false, out);
    return true;
}

void explore_results_free(struct explore_results *results)
{
    for (unsigned i = 0; i < results->count; i++)
        free(results->kept[i].data);
    free(results->kept);
    free(results->failure);
}
