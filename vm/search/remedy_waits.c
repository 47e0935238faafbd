/* What a wait could be that is missing: for signals that are notified and that nobody waits for. */
#include <string.h>

#include "place.h"
#include "search/remedy_pool.h"

enum { MOST_SUSPECTS = 4, FIRST_TEXTS = 4, MOST_TEXTS = 60, MOST_VALUES = 6 };

/* ---- who is waited for ---- */

static bool waits_for(const struct pto_code *code, const struct pto_kernel *kernel,
                      const char *name)
{
    for (uint32_t pc = 0; pc < code->insns; pc++)
        for (int c = 0; c < signal_conditions(&code->insn[pc]); c++) {
            uint32_t object = signal_object(&code->insn[pc], c);

            if (object < kernel->objects && !strcmp(kernel->object[object].name, name))
                return true;
        }
    return false;
}

static bool is_awaited(const struct pto_module *module, const char *name)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++)
            if (waits_for(&module->kernel[k].core[c].code, &module->kernel[k], name))
                return true;
    return false;
}

/* Does a wait of the texts name the very element? */
static bool is_element_awaited(const struct remedy_pool *pool, const struct remedy_signal *signal)
{
    static const char *const WAIT[] = {"TWAIT", "TTEST", "TWAIT_ANY"};
    struct remedy_signal own = *signal;
    const char *text, *wait;

    own.rank = "";
    text = signal_text(pool, &own);
    for (unsigned w = 0; w < sizeof WAIT / sizeof *WAIT; w++)
        for (unsigned n = 0; (wait = pool_nth(pool, WAIT[w], n)) != NULL; n++)
            if (strstr(wait, text))
                return true;
    return false;
}

static bool is_known(const struct remedy_signal *found, unsigned count, const char *name,
                     bool elements)
{
    for (unsigned i = 0; i < count; i++)
        if (!elements && !strcmp(found[i].name, name))
            return true;
    return false;
}

/* The signals that nobody waits for; `elements`: or of which nobody waits for this element. */
static unsigned find_suspects(const struct remedy_pool *pool, const struct pto_module *module,
                              bool elements, struct remedy_signal *found)
{
    unsigned count = 0;

    for (uint32_t k = 0; k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_kernel *kernel = &module->kernel[k];
            const struct pto_code *code = &kernel->core[c].code;

            for (uint32_t pc = 0; pc < code->insns && count < MOST_SUSPECTS; pc++) {
                const struct pto_insn *insn = &code->insn[pc];
                const char *name;

                if (insn->op != PTO_OP_TNOTIFY)
                    continue;
                name = kernel->object[insn->operand[0].gm.object].name;
                if (is_awaited(module, name) == elements &&
                    signal_at(pool, module, (int32_t)insn->pos, name, &found[count]) &&
                    !is_known(found, count, name, elements) &&
                    (!elements || !is_element_awaited(pool, &found[count])))
                    count++;
            }
        }
    return count;
}

/* ---- for what ---- */

static void add_multiples(const struct remedy_pool *pool, const char *single,
                          struct remedy_list *value)
{
    static const char *const SENDERS[] = {"vec_count() - 1", "nranks() - 1", "nranks()",
                                          "vec_count()", "block_num()"};

    for (unsigned n = 0; n < sizeof SENDERS / sizeof *SENDERS; n++)
        list_add(pool, value, "(%s) * (%s)", SENDERS[n], single);
}

/* The registers that are counted up. */
static void find_counters(const struct remedy_pool *pool, const struct pto_module *module,
                          struct remedy_list *counter)
{
    for (uint32_t k = 0; k < module->kernels; k++) {
        const struct pto_code *code = &module->kernel[k].core[PTO_AIV].code;

        for (uint32_t pc = 0; pc < code->insns; pc++) {
            const struct pto_operand *o = code->insn[pc].operand;

            if (code->insn[pc].op == PTO_OP_IADD && o[1].scalar.kind == PTO_S_REG &&
                o[1].scalar.reg == o[0].scalar.reg)
                list_add(pool, counter, "%%%s", code->reg[o[0].scalar.reg].name);
        }
    }
}

/* One more than counters hold, or what they hold: those first that the place is about. */
static void add_counters(const struct remedy_pool *pool, const struct pto_module *module,
                         struct remedy_list *value)
{
    struct remedy_list found = {0}, counter = {0};

    find_counters(pool, module, &found);
    for (unsigned w = 0; w < pool->word.count; w++)
        for (unsigned i = 0; i < found.count; i++)
            if (!strcmp(pool->word.item[w], found.item[i]))
                list_add(pool, &counter, "%s", found.item[i]);
    for (unsigned i = 0; i < found.count; i++)
        list_add(pool, &counter, "%s", found.item[i]);
    for (unsigned i = 0; i < counter.count; i++) {
        list_add(pool, value, "%s + 1", counter.item[i]);
        list_add(pool, value, "%s", counter.item[i]);
    }
}

/* Of a stamp to which a number is added, the stamp: all that a wait can know beforehand. */
static void add_stamp(const struct remedy_pool *pool, const char *said, struct remedy_list *value)
{
    size_t plus = 0;
    int depth = 0;

    for (size_t i = 0; said[i]; i++) {
        depth += (said[i] == '(') - (said[i] == ')');
        if (depth == 0 && said[i] == '+')
            plus = i;
    }
    while (plus > 0 && said[plus - 1] == ' ')
        plus--;
    if (plus > 0)
        list_add(pool, value, "%.*s", (int)plus, said);
}

/* Of a stamp to which a small number is added, the ones beside it: of several waits in a turn, each
 * counts one notify more. */
static void add_neighbours(const struct remedy_pool *pool, const char *said,
                           struct remedy_list *value)
{
    const char *plus = strrchr(said, '+');
    long number = plus ? words_literal(plus + 1 + strspn(plus + 1, " ")) : -1;

    if (number < 1 || number > MOST_VALUES)
        return;
    for (long other = number + 1; other > 0; other--)
        if (other != number)
            list_add(pool, value, "%.*s %ld", (int)(plus + 1 - said), said, other);
}

/* What the notify says, what the texts wait for elsewhere, and what counters of the program hold;
 * of several senders that each add one, all. */
static void find_values(const struct remedy_pool *pool, const struct pto_module *module,
                        const struct remedy_signal *signal, struct remedy_list *value)
{
    const char *statement, *said = signal->value;
    bool counts = strspn(said, "0123456789") == strlen(said);
    unsigned single;

    if (!counts)
        list_add(pool, value, "%s", said);
    add_stamp(pool, said, value);
    for (unsigned n = 0; (statement = pool_nth(pool, "TWAIT", n)) != NULL; n++) {
        list_add(pool, value, "%s", pool_operand(pool, statement, 2));
        if (counts && value->count == 1)
            add_multiples(pool, value->item[0], value);
    }
    for (unsigned n = 0; (statement = pool_nth(pool, "fetch_add", n)) != NULL; n++)
        list_add(pool, value, "%.*s + 1", (int)strcspn(statement, " "), statement);
    for (unsigned n = 0; (statement = pool_nth(pool, "TWAIT", n)) != NULL; n++)
        add_neighbours(pool, pool_operand(pool, statement, 2), value);
    list_add(pool, value, "launch() + 1");
    add_counters(pool, module, value);
    list_add(pool, value, "1");
    single = value->count;
    for (unsigned i = 0; counts && i < single; i++)
        if (!strstr(value->item[i], ") * ("))
            add_multiples(pool, value->item[i], value);
}

/* ---- for which elements ---- */

/* With one index or all "rank()" in place of which the sender is named. */
static void add_from_sender(const struct remedy_pool *pool, const struct remedy_signal *signal,
                            const char *sender, struct remedy_list *element)
{
    struct remedy_signal own = *signal;
    bool named = false;

    own.rank = "";
    for (unsigned i = 0; i < own.indices; i++) {
        named = named || words_name_in(own.index[i], "rank()");
        own.index[i] = words_replaced(pool, own.index[i], "rank()", sender);
    }
    if (named)
        list_add(pool, element, "%s", signal_text(pool, &own));
    for (unsigned i = own.indices; !named && i-- > 0;) {
        struct remedy_signal other = own;

        other.index[i] = sender;
        list_add(pool, element, "%s", signal_text(pool, &other));
    }
}

/* What lies between the brackets of the declaration. */
static void sizes_of(const struct remedy_pool *pool, const char *name, struct remedy_signal *sizes)
{
    const char *declared;

    *sizes = (struct remedy_signal){.name = ""};
    for (unsigned n = 0; (declared = pool_nth(pool, ".signal", n)) != NULL; n++) {
        const char *operand = pool_operand(pool, declared, 0);

        if (!strncmp(operand, name, strlen(name)) && operand[strlen(name)] == '[')
            signal_parse(pool, operand, sizes);
    }
}

/* A whole row, from its first element on: of all senders, or of one of them. */
static void add_rows(const struct remedy_pool *pool, const struct remedy_signal *signal,
                     struct remedy_list *element)
{
    struct remedy_signal own = *signal, sizes;
    unsigned last = own.indices - 1;

    sizes_of(pool, signal->name, &sizes);
    own.rank = "";
    if (own.indices != 2 || sizes.indices != 2)
        return;
    own.index[last] = "0";
    list_add(pool, element, "%s{1, %s}", signal_text(pool, &own), sizes.index[last]);
    for (unsigned w = 0; w < pool->word.count; w++) {
        own.index[0] = pool->word.item[w];
        list_add(pool, element, "%s{1, %s}", signal_text(pool, &own), sizes.index[last]);
    }
}

static void find_elements(const struct remedy_pool *pool, const struct remedy_signal *signal,
                          struct remedy_list *element)
{
    struct remedy_signal own = *signal;
    const char *rank = signal->rank + (*signal->rank == '@');

    own.rank = "";
    if (!words_name_in(signal_text(pool, &own), "rank()"))
        list_add(pool, element, "%s", signal_text(pool, &own));
    else if (*rank)
        add_from_sender(pool, signal, rank, element);
    list_add(pool, element, "%s", signal->name);
    for (unsigned w = 0; w < pool->word.count; w++)
        add_from_sender(pool, signal, pool->word.item[w], element);
    if (signal->indices > 0)
        add_rows(pool, signal, element);
}

/* ---- waits ---- */

static void wait_for(struct remedy_pool *pool, const struct pto_module *module,
                     const struct remedy_signal *signal, unsigned most)
{
    struct remedy_list element = {0}, value = {0};
    unsigned added = 0;

    find_elements(pool, signal, &element);
    find_values(pool, module, signal, &value);
    for (unsigned sum = 0; sum < element.count + value.count; sum++)
        for (unsigned e = 0; e <= sum && added < most; e++)
            if (e < element.count && sum - e < value.count) {
                pool_text(pool, "TWAIT %s, ge, %s", element.item[e], value.item[sum - e]);
                added++;
            }
}

/* Of two signals that nobody waits for alone, perhaps somebody waited for either. */
static void wait_for_any(struct remedy_pool *pool, const struct pto_module *module,
                         const struct remedy_signal *one, const struct remedy_signal *other)
{
    struct remedy_list one_element = {0}, other_element = {0}, one_value = {0}, other_value = {0};

    find_elements(pool, one, &one_element);
    find_elements(pool, other, &other_element);
    find_values(pool, module, one, &one_value);
    find_values(pool, module, other, &other_value);
    if (!pool->tested.count)
        list_add(pool, &pool->tested, "%%which");
    for (unsigned sum = 0; sum < MOST_VALUES; sum++)
        for (unsigned w = 0; w < pool->tested.count; w++)
            for (unsigned v = 0; v <= sum; v++)
                if (v < one_value.count && sum - v < other_value.count)
                    pool_text(pool, "%s = TWAIT_ANY %s, ge, %s, %s, ge, %s", pool->tested.item[w],
                              one_element.item[0], one_value.item[v], other_element.item[0],
                              other_value.item[sum - v]);
}

/* Where the texts wait for any of several signals: the same of other signals. */
static void as_for_others(struct remedy_pool *pool)
{
    const char *statement, *declared;

    for (unsigned n = 0; (statement = pool_nth(pool, "TWAIT_ANY", n)) != NULL; n++)
        for (unsigned s = 0; (declared = pool_nth(pool, ".signal", s)) != NULL; s++) {
            struct remedy_signal one, other;

            signal_parse(pool, pool_operand(pool, statement, 0), &one);
            signal_parse(pool, pool_operand(pool, declared, 0), &other);
            pool_text(pool, "%s", words_replaced(pool, statement, one.name, other.name));
        }
}

void texts_of_unawaited(struct remedy_pool *pool, const struct pto_module *module)
{
    struct remedy_signal suspect[MOST_SUSPECTS];
    unsigned count = find_suspects(pool, module, false, suspect);

    for (unsigned i = 1; i < count; i++)
        wait_for_any(pool, module, &suspect[i - 1], &suspect[i]);
    for (unsigned i = 0; i < count; i++) {
        wait_for(pool, module, &suspect[i], MOST_TEXTS);
        pool_spots_naming(pool, suspect[i].name);
    }
}

void texts_of_waits(struct remedy_pool *pool, const struct pto_module *module)
{
    struct remedy_signal suspect[MOST_SUSPECTS];
    unsigned count;

    texts_of_unawaited(pool, module);
    count = find_suspects(pool, module, true, suspect);
    for (unsigned i = 0; i < count; i++)
        if (!*suspect[i].rank)
            wait_for(pool, module, &suspect[i], MOST_TEXTS);
    for (unsigned i = 0; i < count; i++)
        wait_for(pool, module, &suspect[i], FIRST_TEXTS);
    pool_copies(pool, "TWAIT");
    as_for_others(pool);
    for (unsigned i = 0; i < count; i++)
        wait_for(pool, module, &suspect[i], MOST_TEXTS);
}
