/* Doubts: waits that learned what they could not rely on, since another notify could have ended
 * them.  A run finds its doubts when it is too late to take back what was learned, and hands them
 * to the checker of the same run done again, where the wait does not learn it.
 *
 * And what comes of it: races that would not be there, had the wait been for the notify that tells
 * of the first access. */
#include <stdlib.h>
#include <string.h>

#include "check/fetches.h"
#include "check/signal.h"
#include "check/travel_parcel.h"
#include "check/verdict.h"

enum { MOST_VAGUE = 4096 };

/* ---- between two runs ---- */

static int compare(const struct doubt *a, const struct doubt *b)
{
    const uint64_t left[] = {a->core, a->epoch, (uint64_t)a->rank, a->object, a->offset, a->sender};
    const uint64_t right[] = {b->core, b->epoch, (uint64_t)b->rank, b->object, b->offset,
                              b->sender};

    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int compare_doubts(const void *one, const void *two)
{
    return compare(one, two);
}

/* The place of a doubt among those that came from the run before, or NULL. */
static struct doubt *look_up(struct doubt *doubt, uint32_t doubts, const struct doubt *wanted)
{
    return doubts ? bsearch(wanted, doubt, doubts, sizeof *doubt, compare_doubts) : NULL;
}

static struct doubt key_of(const struct signal *signal, struct point wait, uint32_t sender)
{
    return (struct doubt){.core = wait.core, .epoch = wait.epoch, .rank = signal->place.rank,
                          .object = signal->place.object, .offset = signal->place.offset,
                          .sender = sender};
}

const struct doubt *doubt_find(const struct pto_check *check, const struct signal *signal,
                               struct point wait, uint32_t sender)
{
    struct doubt wanted;

    if (!check->old_doubts)
        return NULL;
    wanted = key_of(signal, wait, sender);
    return look_up(check->doubt, check->old_doubts, &wanted);
}

void doubt_add(struct pto_check *check, const struct signal *signal, struct point wait,
               uint32_t sender, uint32_t limit)
{
    struct doubt doubt = key_of(signal, wait, sender), *old;

    check->doubtful = true;
    old = look_up(check->doubt, check->old_doubts, &doubt);
    if (old) {
        old->limit = limit;
        return;
    }
    doubt.limit = limit;
    PTO_GROW(check->doubt, check->doubts, check->doubt_capacity);
    check->doubt[check->doubts++] = doubt;
}

bool pto_check_doubtful(const struct pto_check *check)
{
    return check->doubtful || check->provable;
}

enum pto_status pto_check_attach_again(struct pto_vm *vm, const struct pto_check *before,
                                       struct pto_check **check)
{
    PTO_TRY(pto_check_attach(vm, check));
    (*check)->covers = before->covers;
    fetch_inherit(*check, before);
    (*check)->shared_flags = before->shared_flags;
    (*check)->doubt = pto_xmalloc((before->doubts + 1) * sizeof *before->doubt);
    if (before->doubts)
        memcpy((*check)->doubt, before->doubt, before->doubts * sizeof *before->doubt);
    (*check)->doubts = (*check)->old_doubts = (*check)->doubt_capacity = before->doubts;
    qsort((*check)->doubt, before->doubts, sizeof *before->doubt, compare_doubts);
    return PTO_OK;
}

/* ---- what comes of it ---- */

/* Behind a wait that could have ended without this notify, by another one: would the second know
 * the first, had the wait been for it? */
static bool explains(const struct vague *vague, const struct found *found)
{
    const struct release *release = vague->release;
    const struct party *first = &found->party[0], *second = &found->party[1];
    bool behind = vague->wait.core == second->core
                      ? found->told >= vague->epoch
                      : race_knows(&found->known, second->core, vague->wait.core, PTO_PIPE_S,
                                   vague->epoch);

    return behind && (first->core == release->core
                          ? row_knows(&release->frame.row, first->lane, found->epoch)
                          : race_knows(&release->frame, release->core, first->core, first->lane,
                                       found->epoch));
}

void vague_add(struct pto_check *check, const struct signal *signal, struct party wait,
               uint32_t epoch, struct release *release)
{
    if (check->vagues == MOST_VAGUE)
        return;
    PTO_GROW(check->vague, check->vagues, check->vague_capacity);
    check->vague[check->vagues] = (struct vague){.number = check->vagues, .epoch = epoch,
                                                 .release = release, .wait = wait,
                                                 .place = signal->place, .stamp = check->stamp};
    check->vagues++;
    release->refs++;
}

/* The last wait before the race. */
static const struct vague *find_vague(const struct pto_check *check, const struct found *found)
{
    const struct vague *best = NULL;

    if (found->finding.kind > PTO_FIND_WAW || found->party[0].core == found->party[1].core)
        return NULL;
    for (uint32_t i = 0; i < check->vagues; i++) {
        const struct vague *vague = &check->vague[i];

        if (explains(vague, found) &&
            (!best || (vague->wait.core == best->wait.core && vague->epoch > best->epoch)))
            best = vague;
    }
    return best;
}

void vague_finish(struct pto_check *check)
{
    uint32_t races = check->founds;

    for (uint32_t i = 0; i < races; i++) {
        const struct vague *vague = find_vague(check, &check->found[i]);
        struct party notify;
        struct found *found;

        if (!vague)
            continue;
        notify = finding_notify(vague->release);
        found = finding_add(check, PTO_FIND_SIGNAL_AMBIGUOUS, &notify, &vague->wait);
        if (found)
            signal_locate(check, found, &vague->place);
    }
}

/* ---- of several processes ---- */

void vagues_put(const struct pto_check *check, struct pto_buf *out)
{
    pto_buf_u32(out, check->vagues);
    for (uint32_t i = 0; i < check->vagues; i++) {
        const struct vague *vague = &check->vague[i];

        pto_buf_append(out, vague, sizeof *vague);
        pto_buf_u32(out, check_code_number(check, vague->wait.code));
        parcel_put_release(mail_to(check, 0), check, vague->release, out);
    }
}

void vagues_take(struct pto_check *check, int process, struct reader *in)
{
    uint32_t count, code;

    reader_take(in, &count, sizeof count);
    for (; count > 0; count--) {
        struct vague *vague;

        PTO_GROW(check->vague, check->vagues, check->vague_capacity);
        vague = &check->vague[check->vagues++];
        reader_take(in, vague, sizeof *vague);
        reader_take(in, &code, sizeof code);
        vague->wait.code = check->code[code];
        vague->release = parcel_take_release(mail_from(check, process), check, in);
    }
}

static int compare_vagues(const void *one, const void *two)
{
    const struct vague *a = one, *b = two;
    int order = finding_compare_stamps(&a->stamp, &b->stamp);

    return order ? order : a->number < b->number ? -1 : a->number > b->number;
}

/* As many as one process would have kept. */
void vagues_sort(struct pto_check *check)
{
    if (check->vagues)
        qsort(check->vague, check->vagues, sizeof *check->vague, compare_vagues);
    while (check->vagues > MOST_VAGUE)
        check_release_drop(check->vague[--check->vagues].release);
}

bool vague_is_cause(const struct pto_check *check, const struct found *found,
                    const struct found *root)
{
    const struct vague *vague =
        root->finding.kind == PTO_FIND_SIGNAL_AMBIGUOUS ? find_vague(check, found) : NULL;
    struct party notify;

    if (!vague)
        return false;
    notify = finding_notify(vague->release);
    return finding_same_place(&root->party[0], &notify) &&
           finding_same_place(&root->party[1], &vague->wait);
}

void doubt_free(struct pto_check *check)
{
    for (uint32_t i = 0; i < check->vagues; i++)
        check_release_drop(check->vague[i].release);
    free(check->vague);
    free(check->doubt);
}
