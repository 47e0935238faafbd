/* What nobody waited for, which the machine reports itself: tokens, counts and copies that are left
 * over. */
#include <stdlib.h>
#include <string.h>

#include "check/internal.h"

/* The kernel that the instruction is of. */
static const struct pto_kernel *kernel_at(const struct pto_module *module, int32_t pos)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_code *code = &module->kernel[k].core[c].code;

            for (uint32_t pc = 0; pc < code->insns; pc++)
                if ((int32_t)code->insn[pc].pos == pos)
                    return &module->kernel[k];
        }
    return NULL;
}

static struct pto_finding *find_leftover(struct pto_check *check, const struct pto_fault *left)
{
    for (unsigned i = check->founds; i < check->results; i++)
        if (check->result[i].access[1].pos == left->pos &&
            check->result[i].access[1].module == left->module)
            return &check->result[i];
    return NULL;
}

static struct pto_finding *add_leftover(struct pto_check *check, const struct pto_fault *left)
{
    struct pto_finding *f = &check->result[check->results++];

    *f = (struct pto_finding){
        .kind = PTO_FIND_TOKEN_LEFT,
        .access = {{.pos = PTO_NONE}, {
            .present = true, .module = left->module, .pos = left->pos,
            .kernel = kernel_at(left->module, left->pos), .mnemonic = left->mnemonic,
            .rank = left->rank, .core = left->core, .pipe = left->pipe, .time_ps = left->time_ps,
        }},
        .message = left->message,
        .advice.text = left->hint,
        .has_rank = pto_arena_array(&check->arena, (size_t)check->vm->ranks, sizeof *f->has_rank),
    };
    return f;
}

static int compare_leftovers(const void *one, const void *two)
{
    const struct pto_fault *a = *(const struct pto_fault *const *)one;
    const struct pto_fault *b = *(const struct pto_fault *const *)two;

    if (a->module != b->module)
        return (uintptr_t)a->module < (uintptr_t)b->module ? -1 : 1;
    if (a->pos != b->pos)
        return a->pos < b->pos ? -1 : 1;
    return a->rank != b->rank ? a->rank - b->rank : strcmp(a->core, b->core);
}

/* A sub-core may leave several at one place. */
static void count_leftover_cores(struct pto_check *check, const struct pto_fault *left,
                                 unsigned count)
{
    const struct pto_fault **sorted = pto_xcalloc(count + 1u, sizeof *sorted);

    for (unsigned i = 0; i < count; i++)
        sorted[i] = &left[i];
    qsort(sorted, count, sizeof *sorted, compare_leftovers);
    for (unsigned i = 0; i < count; i++)
        if (i == 0 || compare_leftovers(&sorted[i - 1], &sorted[i]))
            find_leftover(check, sorted[i])->cores++;
    free(sorted);
}

void leftovers_add(struct pto_check *check)
{
    const struct pto_fault *left;
    unsigned count_left = pto_vm_warnings(check->vm, &left);

    for (unsigned i = 0; i < count_left; i++) {
        struct pto_finding *f = find_leftover(check, &left[i]);

        if (!f)
            f = add_leftover(check, &left[i]);
        f->count++;
        f->ranks += !f->has_rank[left[i].rank];
        f->has_rank[left[i].rank] = true;
    }
    count_leftover_cores(check, left, count_left);
}
