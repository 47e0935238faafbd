#include "search/remedy.h"

#include <stdlib.h>
#include <string.h>

#include "look/parties.h"
#include "search/remedy_pool.h"

enum {
    TEXT_RANK = 3, /* a text counts as so many places */
    FINDINGS_LOOKED_AT = 3,
    PARTIES_LOOKED_AT = 64
};

/* ---- by the finding ---- */

static bool on_one_core(const struct pto_finding_access *a, const struct pto_finding_access *b)
{
    return a->rank == b->rank && a->core && b->core && !strcmp(a->core, b->core);
}

static void texts_of_race(struct remedy_pool *pool, const struct pto_finding_access *a,
                          const struct pto_finding_access *b)
{
    if (on_one_core(a, b))
        texts_between_pipes(pool, a, b);
    else
        texts_between_cores(pool, a, b);
}

static void texts_of_finding(struct remedy_pool *pool, const struct pto_finding *f)
{
    const struct pto_finding_access *a = &f->access[0], *b = &f->access[1];

    switch (f->kind) {
    case PTO_FIND_CACHE_STALE:
    case PTO_FIND_FALSE_SHARING:
        pool_text(pool, "dcci");
        pool_text(pool, "dcci\ndsb");
        break;
    case PTO_FIND_TOKEN_LEFT:
    case PTO_FIND_SIGNAL_REUSED:
    case PTO_FIND_SIGNAL_AMBIGUOUS:
    case PTO_FIND_COULD_HANG:
        texts_of_unawaited(pool, b->module);
        texts_for_half(pool, b->module, b->pos);
        if (a->present)
            texts_for_half(pool, a->module, a->pos);
        break;
    case PTO_FIND_UNINIT:
        texts_of_strays(pool, b->module);
        break;
    default:
        if (a->present && a->pipe && b->pipe)
            texts_of_race(pool, a, b);
    }
}

/* ---- by how the run ended ---- */

/* Is it a wait for a signal that nobody notifies?  Then all others may only wait for this one. */
static bool look_at_missing_notify(struct remedy_pool *pool, const struct pto_module *module,
                                   int32_t pos)
{
    const struct pto_insn *insn = remedy_insn(module, pos);

    if (!insn || !waits_in_vain(module, insn))
        return false;
    texts_of_notifies(pool, module, pos, true);
    texts_of_notifies(pool, module, pos, false);
    if (pool_is_for_some(pool, module, pos))
        pool_spots_sending(pool);
    pool_spots_near(pool, module, pos);
    pool_spots_all(pool, module, pos);
    return true;
}

/* The same of programs that ask again and again, and were anywhere when they were stopped. */
static bool look_at_missing_answer(struct remedy_pool *pool, const struct pto_module *module)
{
    for (uint32_t k = 0; module && k < module->kernels; k++)
        for (int c = 0; c < PTO_CORE_KINDS; c++) {
            const struct pto_code *code = &module->kernel[k].core[c].code;

            for (uint32_t pc = 0; pc < code->insns; pc++)
                if (signal_conditions(&code->insn[pc]) &&
                    look_at_missing_notify(pool, module, (int32_t)code->insn[pc].pos))
                    return true;
        }
    return false;
}

/* The other sides of signals that are waited for, as they are written; then party by party, those
 * who wait for flags first: all others may only wait for them. */
static void look_at_waits(struct remedy_pool *pool, struct pto_party *party, unsigned parties)
{
    for (unsigned i = 0; i < parties && i < PARTIES_LOOKED_AT; i++)
        if (party[i].at.module && party[i].wants)
            texts_of_notifies(pool, party[i].at.module, party[i].at.pos, true);
    for (unsigned i = 0; i < parties && i < PARTIES_LOOKED_AT; i++) {
        if (!party[i].at.module || !party[i].wants)
            continue;
        texts_for_half(pool, party[i].at.module, party[i].at.pos);
        pool_spots_near(pool, party[i].at.module, party[i].at.pos);
    }
}

static void look_at_end(struct remedy_pool *pool, struct pto_vm *vm)
{
    const struct pto_fault *fault = pto_vm_fault(vm);
    struct pto_party *party;
    unsigned parties;

    if (!fault)
        return;
    parties = pto_vm_parties(vm, pool->arena, &party);
    if (fault->module) {
        words_at(pool, fault->module, fault->pos);
        texts_of_unawaited(pool, fault->module);
    }
    for (unsigned i = 0; fault->status != PTO_EPROGRAM && i < parties; i++)
        if (look_at_missing_notify(pool, party[i].at.module, party[i].at.pos))
            return;
    if (fault->status == PTO_ELIMIT && look_at_missing_answer(pool, fault->module))
        return;
    texts_of_strays(pool, fault->module);
    if (fault->module && fault->status != PTO_EDEADLOCK)
        texts_for_half(pool, fault->module, fault->pos);
    if (fault->module)
        pool_spots_near(pool, fault->module, fault->pos);
    if (fault->status != PTO_EPROGRAM)
        look_at_waits(pool, party, parties);
    for (unsigned i = 0; i < parties && i < PARTIES_LOOKED_AT; i++)
        if (party[i].at.module)
            pool_spots_all(pool, party[i].at.module, party[i].at.pos);
}

/* ---- the list ---- */

static int compare(const void *one, const void *two)
{
    const struct cli_remedy *a = one, *b = two;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* What the checker itself advises. */
static bool own_advice(const struct remedy_pool *pool, const struct pto_finding *f,
                       struct cli_remedy *remedy)
{
    *remedy = (struct cli_remedy){0};
    if (!f->advice.edits || f->advice.edits > CLI_REMEDY_INSERTIONS)
        return false;
    for (unsigned i = f->advice.edits; i-- > 0;) {
        const struct pto_edit *edit = &f->advice.edit[i];
        struct cli_sheet *sheet = pool_sheet(pool, edit->file);

        if (!sheet || edit->line < 1 || edit->line > sheet->lines)
            return false;
        remedy->insertion[remedy->insertions++] = (struct cli_insertion){
            sheet,
            edit->after ? cli_sheet_behind(sheet, edit->line) : cli_sheet_first(sheet, edit->line),
            edit->text};
    }
    return true;
}

static void collect_near(struct remedy_pool *pool, const struct pto_finding *f)
{
    texts_of_finding(pool, f);
    if (f->access[0].present && !on_one_core(&f->access[0], &f->access[1]))
        pool_spot_behind(pool, f->access[0].module, f->access[0].pos);
    pool_spots_near(pool, f->access[1].module, f->access[1].pos);
    if (!f->access[0].present)
        return;
    pool_spots_near(pool, f->access[0].module, f->access[0].pos);
    if (!on_one_core(&f->access[0], &f->access[1]))
        pool_spots_telling(pool, f->access[0].rank == f->access[1].rank);
}

static void collect_far(struct remedy_pool *pool, const struct pto_finding *f)
{
    pool_spots_all(pool, f->access[1].module, f->access[1].pos);
    if (f->access[0].present)
        pool_spots_all(pool, f->access[0].module, f->access[0].pos);
}

static void find_words(struct remedy_pool *pool, const struct pto_finding *f)
{
    words_at(pool, f->access[1].module, f->access[1].pos);
    if (f->access[0].present)
        words_at(pool, f->access[0].module, f->access[0].pos);
}

/* Notifies that an earlier wait has used up, if nobody takes them. */
static void look_at_taking(struct remedy_pool *pool, const struct pto_finding *f)
{
    if (f->kind == PTO_FIND_SIGNAL_REUSED)
        texts_of_taking(pool, f->access[1].module, f->access[1].pos);
}

unsigned cli_remedies(const struct cli_ailment *ailment, struct pto_arena *arena,
                      struct cli_remedy **list)
{
    struct remedy_pool *pool = pto_arena_alloc(arena, sizeof *pool);
    const struct cli_findings *findings = ailment->findings;
    unsigned looked_at = findings->count < FINDINGS_LOOKED_AT ? findings->count
                                                              : FINDINGS_LOOKED_AT;
    unsigned count = 0;

    *pool = (struct remedy_pool){.ailment = ailment, .arena = arena};
    words_find(pool);
    for (unsigned i = 0; i < looked_at; i++)
        find_words(pool, findings->item[i].finding);
    for (unsigned i = 0; i < looked_at; i++)
        look_at_taking(pool, findings->item[i].finding);
    for (unsigned i = 0; i < looked_at; i++)
        collect_near(pool, findings->item[i].finding);
    look_at_end(pool, ailment->vm);
    for (unsigned i = 0; i < looked_at; i++)
        collect_far(pool, findings->item[i].finding);
    *list = pto_arena_array(arena, pool->texts * pool->spots + 1, sizeof **list);
    if (looked_at && own_advice(pool, findings->item[0].finding, &(*list)[0]))
        count++;
    for (unsigned t = 0; t < pool->texts; t++)
        for (unsigned s = 0; s < pool->spots; s++, count++)
            (*list)[count] = (struct cli_remedy){
                .insertion = {{pool->spot[s].sheet, pool->spot[s].line, pool->text[t]}},
                .insertions = 1,
                .rank = s < pool->holes ? t / 2 + s : 1 + TEXT_RANK * t + s - pool->holes,
                .number = count,
            };
    qsort(*list, count, sizeof **list, compare);
    return count;
}
