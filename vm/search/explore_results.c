#include "search/explore_results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/data.h"

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

/* How an object differs from that of the first run. */
struct difference {
    uint64_t first, elements, of; /* first: element */
    uint64_t bits;                /* that differ in some element */
};

static struct difference compare(const struct explore_kept *kept,
                                 const struct pto_object_info *info)
{
    size_t size = pto_dtype_size((enum pto_dtype)info->dtype);
    struct difference d = {.of = kept->size / size};

    for (uint64_t i = d.of; i-- > 0;) {
        uint64_t old = 0, now = 0;

        memcpy(&old, kept->data + i * size, size);
        memcpy(&now, (const uint8_t *)info->data + i * size, size);
        d.bits |= old ^ now;
        d.elements += old != now;
        d.first = old != now ? i : d.first;
    }
    return d;
}

/* The index of an element, by dimension. */
static void find_index(const struct pto_object_info *info, uint64_t element,
                       uint64_t index[PTO_MAX_DIMS])
{
    for (unsigned d = info->dims; d-- > 0;) {
        index[d] = element % info->dim[d];
        element /= info->dim[d];
    }
}

static void tell_difference(const struct explore_kept *kept, const struct pto_object_info *info,
                            struct pto_buf *out, struct cli_json *json)
{
    struct difference difference = compare(kept, info);
    uint64_t index[PTO_MAX_DIMS];
    char bits[24];

    find_index(info, difference.first, index);
    pto_buf_printf(out, "different results: %s of rank %d depends on the order of events, "
                   "first at [", info->name, kept->rank);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "object", info->name);
    cli_json_int(json, "rank", kept->rank);
    cli_json_open(json, "first", '[');
    for (unsigned d = 0; d < info->dims; d++) {
        pto_buf_printf(out, "%s%llu", d ? ", " : "", (unsigned long long)index[d]);
        cli_json_uint(json, NULL, index[d]);
    }
    cli_json_close(json, ']');
    cli_json_uint(json, "elements", difference.elements);
    cli_json_uint(json, "of", difference.of);
    snprintf(bits, sizeof bits, "0x%llx", (unsigned long long)difference.bits);
    cli_json_text(json, "bits", bits);
    cli_json_close(json, '}');
    pto_buf_printf(out, "]: %llu of %llu elements, in bits %s\n",
                   (unsigned long long)difference.elements, (unsigned long long)difference.of,
                   bits);
}

static bool differs(const struct explore_kept *kept, const struct pto_vm *vm,
                    struct pto_object_info *info)
{
    pto_vm_object(vm, kept->rank, kept->index, info);
    return !kept->differs && memcmp(kept->data, info->data, kept->size) != 0;
}

void explore_results_compare(struct explore_results *results, const struct pto_vm *vm,
                             struct pto_buf *out, struct cli_json *json)
{
    struct pto_object_info info;

    cli_json_open(json, "differences", '[');
    for (unsigned i = 0; i < results->count; i++)
        if (differs(&results->kept[i], vm, &info)) {
            tell_difference(&results->kept[i], &info, out, json);
            results->kept[i].differs = true;
        }
    cli_json_close(json, ']');
}

bool explore_results_differ(struct explore_results *results, const struct pto_vm *vm)
{
    struct pto_object_info info;

    if (!results->known)
        keep_all(results, vm);
    for (unsigned i = 0; i < results->count; i++)
        if (differs(&results->kept[i], vm, &info))
            return true;
    return false;
}

bool explore_results_failed(struct explore_results *results, struct pto_vm *vm)
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
    return true;
}

void explore_results_free(struct explore_results *results)
{
    for (unsigned i = 0; i < results->count; i++)
        free(results->kept[i].data);
    free(results->kept);
    free(results->failure);
}
