#include "check/together.h"

#include <stdlib.h>

#include "check/signal.h"
#include "check/travel_parcel.h"

static const struct pto_carrier *carrier_of(const struct pto_check *check)
{
    return check->vm->options.carrier;
}

/* ---- meetings ---- */

/* Tell all the words, and each what there is for it. */
static struct pto_parcel *meet(const struct pto_check *check, const uint64_t *word,
                               const struct pto_buf *text)
{
    const struct pto_carrier *carrier = carrier_of(check);
    struct pto_parcel *out = pto_xcalloc((size_t)carrier->processes, sizeof *out);
    struct pto_parcel *in = pto_xcalloc((size_t)carrier->processes, sizeof *in);

    for (int p = 0; p < carrier->processes; p++) {
        memcpy(out[p].word, word, sizeof out[p].word);
        out[p].data = text ? text[p].data : NULL;
        out[p].size = text ? text[p].size : 0;
    }
    carrier->meet(carrier->context, out, in);
    free(out);
    return in;
}

static void end_meeting(const struct pto_check *check, struct pto_parcel *in)
{
    for (int p = 0; p < carrier_of(check)->processes; p++)
        if (in[p].size)
            free(in[p].data);
    free(in);
}

bool together_any(const struct pto_check *check, bool here)
{
    const uint64_t word[PTO_PARCEL_WORDS] = {here};
    struct pto_parcel *in;

    if (!check->mail)
        return here;
    in = meet(check, word, NULL);
    for (int p = 0; p < carrier_of(check)->processes; p++)
        here = here || in[p].word[0];
    end_meeting(check, in);
    return here;
}

void together_join(struct pto_check *check)
{
    const uint64_t word[PTO_PARCEL_WORDS] = {0};
    const struct pto_vm *vm = check->vm;
    const int processes = check->mail ? carrier_of(check)->processes : 0;
    struct pto_buf *text = pto_xcalloc((size_t)processes + 1, sizeof *text);
    struct pto_parcel *in = NULL;

    for (int p = 0; p < processes; p++)
        for (int i = 0; p != vm->process && i < vm->owns; i++)
            clock_put(mail_to(check, p), check->base[vm->own[i]], &text[p]);
    if (processes)
        in = meet(check, word, text);
    for (int p = 0; p < processes; p++) {
        struct reader reader = {in[p].data, in[p].data + in[p].size};

        for (int r = 0; p != vm->process && r < vm->ranks; r++)
            if (vm->owner[r] == p) {
                far_drop(check->base[r]);
                check->base[r] = clock_take(mail_from(check, p), &reader);
            }
        pto_buf_free(&text[p]);
    }
    if (processes)
        end_meeting(check, in);
    free(text);
}

/* ---- how it has ended ---- */

static struct run_end end_of(struct pto_vm *vm)
{
    const struct pto_fault *fault = pto_vm_fault(vm);

    return (struct run_end){
        .early = vm->status != PTO_OK,
        .faulted = vm->status == PTO_EPROGRAM,
        .finished = pto_vm_finished(vm),
        .complete = pto_vm_finished(vm) &&
                    (!fault || fault->mnemonic || fault->status == PTO_EDEADLOCK),
        .pos = vm->fault.pos,
    };
}

void together_end(struct pto_check *check)
{
    const struct run_end end = end_of(check->vm);
    uint64_t word[PTO_PARCEL_WORDS] = {end.early | end.faulted << 1 | end.finished << 2 |
                                       end.complete << 3, (uint32_t)end.pos};
    struct pto_parcel *in;

    check->end = end;
    if (!check->mail)
        return;
    in = meet(check, word, NULL); /* process 0 has taken over all ranks */
    check->end = (struct run_end){
        .early = in[0].word[0] & 1,
        .faulted = in[0].word[0] >> 1 & 1,
        .finished = in[0].word[0] >> 2 & 1,
        .complete = in[0].word[0] >> 3 & 1,
        .pos = (int32_t)(uint32_t)in[0].word[1],
    };
    end_meeting(check, in);
}

/* ---- what goes to process 0 ---- */

static void put_party(const struct pto_check *check, const struct party *party,
                      struct pto_buf *out)
{
    clock_put_number(party->present ? check_code_number(check, party->code) : 0, out);
}

static void put_found(struct pto_check *check, const struct found *found, struct pto_buf *out)
{
    const size_t bits = (check->cores / 64 + 1) * sizeof **found->cores;

    pto_buf_append(out, found, sizeof *found);
    reader_put_text(found->finding.where, out);
    reader_put_text(found->finding.ordered, out);
    reader_put_text(found->shares, out);
    for (int p = 0; p < 2; p++) {
        put_party(check, &found->party[p], out);
        pto_buf_append(out, found->cores[p], bits);
    }
    pto_buf_append(out, found->rank, (size_t)check->vm->ranks * sizeof *found->rank);
    clock_put(mail_to(check, 0), found->known.far, out);
}

static void take_found(struct pto_check *check, int process, struct reader *in,
                       struct found *found)
{
    const size_t bits = (check->cores / 64 + 1) * sizeof **found->cores;

    reader_take(in, found, sizeof *found);
    found->finding.where = reader_take_text(in, &check->arena);
    found->finding.ordered = reader_take_text(in, &check->arena);
    found->shares = reader_take_text(in, &check->arena);
    for (int p = 0; p < 2; p++) {
        found->party[p].code = check->code[clock_take_number(in)];
        found->cores[p] = pto_arena_alloc(&check->arena, bits);
        reader_take(in, found->cores[p], bits);
    }
    found->rank = pto_arena_array(&check->arena, (size_t)check->vm->ranks, sizeof *found->rank);
    reader_take(in, found->rank, (size_t)check->vm->ranks * sizeof *found->rank);
    found->known.far = clock_take(mail_from(check, process), in);
}

static void put_use(const struct pto_check *check, const struct sync_use *use,
                    struct pto_buf *out)
{
    clock_put_number(check_code_number(check, use->ready), out);
    pto_buf_append(out, use, sizeof *use);
}

static void take_use(struct pto_check *check, struct reader *in)
{
    const struct ready_code *code = check->code[clock_take_number(in)];
    struct sync_use other, *use;

    reader_take(in, &other, sizeof other);
    use = redundant_use(check, code, other.pc);
    for (uint32_t i = 0; i < other.sets; i++)
        redundant_took(use, other.set[i]);
    use->times += other.times;
    use->waited_ps += other.waited_ps;
    use->useful = use->useful || other.useful;
    use->executed += other.executed;
    use->cross_ids |= other.cross_ids;
    use->ordered = use->ordered || other.ordered;
}

/* Everything but findings, which wait until all are there. */
static void put_rest(struct pto_check *check, struct pto_buf *out)
{
    clock_put_number(check->uses, out);
    for (uint32_t i = 0; i < check->use_slots; i++)
        if (check->use[i])
            put_use(check, check->use[i], out);
    clock_put_number(check->cross_ordered, out);
    pto_buf_append(out, check->events_used, sizeof check->events_used);
    notes_put(check, out);
    vagues_put(check, out);
}

static void take_rest(struct pto_check *check, int process, struct reader *in)
{
    uint8_t used[sizeof check->events_used];

    for (uint64_t uses = clock_take_number(in); uses > 0; uses--)
        take_use(check, in);
    check->cross_ordered |= clock_take_number(in);
    reader_take(in, used, sizeof used);
    for (size_t i = 0; i < sizeof used; i++)
        check->events_used[i] |= used[i];
    notes_take(check, in);
    vagues_take(check, process, in);
}

/* ---- findings of all, in the order of one process ---- */

static int compare(const void *one, const void *two)
{
    const struct found *a = one, *b = two;
    int order = finding_compare_stamps(&a->stamp, &b->stamp);

    /* what one process has found there stands in the order in which it did */
    return order ? order : a->next < b->next ? -1 : a->next > b->next;
}

static void take_findings(struct pto_check *check, struct found *all, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        all[i].next = i; /* each process's stand in its order */
    if (count)
        qsort(all, count, sizeof *all, compare);
    findings_replace(check, all, count);
}

static void gather(struct pto_check *check, struct pto_parcel *in, uint32_t count)
{
    struct found *all = pto_xmalloc((count + 1u) * sizeof *all);
    uint32_t founds = check->founds;

    if (founds)
        memcpy(all, check->found, founds * sizeof *all);
    for (int p = 1; p < carrier_of(check)->processes; p++) {
        struct reader reader = {in[p].data, in[p].data + in[p].size};

        for (uint64_t i = 0; i < in[p].word[1]; i++)
            take_found(check, p, &reader, &all[founds++]);
        take_rest(check, p, &reader);
    }
    take_findings(check, all, count);
    vagues_sort(check);
    free(all);
}

void together_gather(struct pto_check *check)
{
    const uint64_t word[PTO_PARCEL_WORDS] = {check->doubtful, check->founds};
    struct pto_buf *text;
    struct pto_parcel *in;
    uint64_t count = 0;

    check->any = check->founds > 0;
    if (!check->mail)
        return;
    text = pto_xcalloc((size_t)carrier_of(check)->processes, sizeof *text);
    if (check->vm->process > 0) {
        for (uint32_t i = 0; i < check->founds; i++)
            put_found(check, &check->found[i], &text[0]);
        put_rest(check, &text[0]);
    }
    in = meet(check, word, text);
    for (int p = 0; p < carrier_of(check)->processes; p++) {
        check->doubtful = check->doubtful || in[p].word[0];
        count += in[p].word[1];
    }
    check->any = count > 0;
    if (check->vm->process == 0)
        gather(check, in, (uint32_t)count);
    end_meeting(check, in);
    pto_buf_free(&text[0]);
    free(text);
}
