/* What a notify could be that is missing: the other side of a wait that never ends. */
#include <string.h>

#include "place.h"
#include "search/remedy_pool.h"

enum { MOST_TEXTS_EACH = 80 };

/* ---- to whom, and of what ---- */

static void add(const struct remedy_pool *pool, const struct remedy_signal *wait, const char *rank,
                struct remedy_list *element)
{
    struct remedy_signal signal = *wait;
    bool bare = strspn(rank, "%abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
                strlen(rank);

    if (*rank)
        signal.rank = pto_arena_printf(pool->arena, bare ? "@%s" : "@(%s)", rank);
    list_add(pool, element, "%s", signal_text(pool, &signal));
}

/* The index that names the sender in the wait names the receiver in the notify, and the other way
 * round. */
static void add_mirrored(const struct remedy_pool *pool, const struct remedy_signal *wait,
                         const char *name, const char *rank, struct remedy_list *element)
{
    struct remedy_signal signal = *wait;
    bool found = false;

    for (unsigned i = 0; i < signal.indices; i++) {
        found = found || words_name_in(signal.index[i], name);
        signal.index[i] = words_replaced(pool, signal.index[i], name, "rank()");
    }
    if (found)
        add(pool, &signal, rank, element);
}

static void find_receiver(const struct remedy_pool *pool, const char *at,
                          struct remedy_list *rank, struct remedy_list *index)
{
    struct remedy_signal sent;
    size_t length, bracket = at[1] == '(';

    signal_parse(pool, at, &sent);
    length = strlen(sent.rank);
    if (!sent.indices || length < 2)
        return;
    list_add(pool, rank, "%.*s", (int)(length - 1 - 2 * bracket), at + 1 + bracket);
    for (unsigned i = 0; i < sent.indices; i++)
        if (strspn(sent.index[i], "0123456789") != strlen(sent.index[i]))
            list_add(pool, index, "%s", sent.index[i]);
}

/* Every "@rank" that the texts have before a bracket, and what stands in the brackets. */
static void find_receivers(const struct remedy_pool *pool, struct remedy_list *rank,
                           struct remedy_list *index)
{
    for (unsigned s = 0; s < pool->ailment->sheets; s++)
        for (uint32_t i = 1; i <= pool->ailment->sheet[s].lines; i++) {
            const char *at = pool->ailment->sheet[s].line[i].text;
            const char *end = at + strcspn(at, ";");

            while ((at = strchr(at, '@')) != NULL && at < end) {
                find_receiver(pool, at, rank, index);
                at += signal_rank_length(at);
            }
        }
}

/* Does a sub-core notify others of its own rank? */
static bool notifies_own(const struct remedy_pool *pool)
{
    const char *notify;

    for (unsigned n = 0; (notify = pool_nth(pool, "TNOTIFY", n)) != NULL; n++)
        if (!strchr(pool_operand(pool, notify, 0), '@'))
            return true;
    return false;
}

static void find_likely(const struct remedy_pool *pool, const struct remedy_signal *wait,
                        struct remedy_list *element)
{
    const struct remedy_list *word = &pool->word;

    for (unsigned i = 0; i < wait->indices; i++) /* in a macro, to one of its parameters */
        for (unsigned w = 0; *wait->index[i] == '%' && w < word->count; w++)
            if (*word->item[w] != '%')
                add_mirrored(pool, wait, wait->index[i], word->item[w], element);
    for (unsigned w = 0; w < word->count; w++)
        add_mirrored(pool, wait, word->item[w], word->item[w], element);
    for (unsigned i = 0; i < wait->indices; i++)
        add_mirrored(pool, wait, wait->index[i], wait->index[i], element);
    if (notifies_own(pool))
        add(pool, wait, "", element);
}

static void find_others(const struct remedy_pool *pool, const struct remedy_signal *wait,
                        struct remedy_list *element)
{
    const struct remedy_list *word = &pool->word;
    struct remedy_list rank = {0}, index = {0};
    struct remedy_signal signal = *wait;

    if (signal.indices == 0)
        signal.indices = 1;
    signal.index[signal.indices - 1] = "rank()";
    for (unsigned w = 0; w < word->count; w++) /* of a wait for all elements, one */
        add(pool, wait->indices ? wait : &signal, word->item[w], element);
    find_receivers(pool, &rank, &index);
    list_add(pool, &rank, "1 - rank()");
    list_add(pool, &rank, "mod(rank() + 1, nranks())");
    for (unsigned r = 0; r < rank.count; r++)
        add(pool, wait->indices ? wait : &signal, rank.item[r], element);
    for (unsigned r = 0; r < word->count + rank.count; r++)
        add(pool, &signal, r < word->count ? word->item[r] : rank.item[r - word->count], element);
    add(pool, wait, "", element);
    for (unsigned i = 0; i < index.count * rank.count; i++) {
        signal.index[signal.indices - 1] = index.item[i % index.count];
        add(pool, &signal, rank.item[i / index.count], element);
    }
    for (unsigned w = 0; pool->holes > 0 && w < word->count * word->count; w++) {
        signal.index[signal.indices - 1] = word->item[w % word->count];
        add(pool, &signal, word->item[w / word->count], element);
    }
}

/* ---- notifies ---- */

static bool is_notified(const struct pto_module *module, uint32_t object)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_code *code = &module->kernel[k].core[c].code;

            for (uint32_t pc = 0; object < module->kernel[k].objects && pc < code->insns; pc++)
                if (code->insn[pc].op == PTO_OP_TNOTIFY &&
                    code->insn[pc].operand[0].gm.object == object)
                    return true;
        }
    return false;
}

bool waits_in_vain(const struct pto_module *module, const struct pto_insn *insn)
{
    for (int c = 0; c < signal_conditions(insn); c++)
        if (!is_notified(module, signal_object(insn, c)))
            return true;
    return false;
}

/* As the wait at a position writes the signal. */
static bool find_wait(const struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
                      uint32_t object, struct remedy_signal *wait)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        if (object < module->kernel[k].objects &&
            signal_at(pool, module, pos, module->kernel[k].object[object].name, wait))
            return true;
    return false;
}

void texts_of_notifies(struct remedy_pool *pool, const struct pto_module *module, int32_t pos,
                       bool likely)
{
    const struct pto_insn *insn = remedy_insn(module, pos);
    bool missing = insn && waits_in_vain(module, insn);

    for (int c = 0; insn && c < signal_conditions(insn); c++) {
        uint32_t object = signal_object(insn, c);
        struct remedy_list element = {0};
        struct remedy_signal wait;

        if ((missing && is_notified(module, object)) ||
            !find_wait(pool, module, pos, object, &wait))
            continue;
        if (likely)
            find_likely(pool, &wait, &element);
        else
            find_others(pool, &wait, &element);
        for (unsigned e = 0; e < element.count && e < MOST_TEXTS_EACH; e++) {
            pool_text(pool, "TNOTIFY %s, 1, add", element.item[e]);
            if (*wait.value)
                pool_text(pool, "TNOTIFY %s, %s, set", element.item[e], wait.value);
        }
    }
}

void texts_of_taking(struct remedy_pool *pool, const struct pto_module *module, int32_t pos)
{
    const struct pto_insn *insn = remedy_insn(module, pos);

    for (int c = 0; insn && c < signal_conditions(insn); c++) {
        struct remedy_signal wait;

        if (!find_wait(pool, module, pos, signal_object(insn, c), &wait))
            continue;
        pool_text(pool, "TNOTIFY %s, -1, add", signal_text(pool, &wait));
        pool_text(pool, "TNOTIFY %s, 0, set", signal_text(pool, &wait));
    }
}
