/* Synchronisation between the sub-cores of a rank: does a cross-core flag have both halves, do
 * both programs come to a barrier for all? */
#include "core_name.h"
#include "sites.h"

/* Which kinds of sub-core get a count of a set_flag_dev, by the mode; -1: any mode. */
static bool reaches(enum pto_core_kind from, int mode, enum pto_core_kind to)
{
    bool other = from != to;

    return mode < 0 || (mode == 2 ? other : !other);
}

static int mode_of(const struct lint *lint, const struct lint_site *site)
{
    const struct pto_scalar *mode = &lint->kernel->core[lint->core_kind].code.insn[site->at]
                                         .operand[1].scalar;

    return mode->kind == PTO_S_INT ? (int)mode->i : -1;
}

/* Does a set of a core's sites send an id to sub-cores of kind `to`? */
static bool somebody_sends(struct lint *lint, const struct lint_sites *sites,
                           enum pto_core_kind to, uint32_t ids)
{
    for (unsigned from = 0; from < PTO_CORE_KINDS; from++) {
        if (!lint->kernel->core[from].present)
            continue;
        lint_enter(lint, from);
        for (uint32_t i = 0; i < sites[from].sites; i++) {
            const struct lint_site *site = &sites[from].site[i];

            if (site->set && (site->unknown || site->ids & ids) &&
                reaches((enum pto_core_kind)from, mode_of(lint, site), to))
                return true;
        }
    }
    return false;
}

static void look_at_wait(struct lint *lint, const struct lint_sites *sites,
                         enum pto_core_kind kind, const struct lint_site *site)
{
    if (site->unknown || !site->ids || somebody_sends(lint, sites, kind, site->ids))
        return;
    lint_enter(lint, kind);
    lint_hint(lint,
              lint_report(lint, PTO_LINT_CROSS_MISSING, PTO_ERROR, PTO_LINT_YES,
                          lint->code->insn[site->at].pos,
                          "S waits for the cross-core flag %s, which nobody sends to .core %s",
                          lint_ids_text(lint, site->ids), pto_core_names[kind]),
              "modes 0 and 1 reach the sender's own kind, mode 2 the other kind of the block");
}

/* Only mode 2 sends a count at once; the others, and two vector sub-cores, until all have sent. */
static void look_at_set(struct lint *lint, const struct lint_sites *sites,
                        enum pto_core_kind kind, const struct lint_site *site)
{
    int mode = mode_of(lint, site);
    enum pto_core_kind to = mode == 2 ? PTO_AIC + PTO_AIV - kind : kind;
    bool certain = mode == 2 && (kind == PTO_AIC || lint->kernel->vectors_per_block == 1);

    if (mode < 0 || site->unknown || !site->ids || lint_sites_have(&sites[to], false, site->ids))
        return;
    lint_report(lint, PTO_LINT_CROSS_LEFT, certain ? PTO_ERROR : PTO_WARNING,
                certain ? PTO_LINT_YES : PTO_LINT_UNKNOWN, lint->code->insn[site->at].pos,
                "the cross-core flag %s is sent to .core %s, which does not wait for it",
                lint_ids_text(lint, site->ids), pto_core_names[to]);
}

static bool comes_to_all(const struct lint *lint, enum pto_core_kind kind)
{
    const struct pto_code *code = &lint->kernel->core[kind].code;

    for (uint32_t i = 0; i < code->insns; i++)
        if (lint->reachable[kind][i] && code->insn[i].op == PTO_OP_SYNC_ALL &&
            code->insn[i].operand[0].value == PTO_SYNC_ALL)
            return true;
    return false;
}

static void look_at_barriers(struct lint *lint, enum pto_core_kind kind)
{
    enum pto_core_kind other = PTO_AIC + PTO_AIV - kind;

    if (!lint->kernel->core[other].present || comes_to_all(lint, other))
        return;
    lint_enter(lint, kind);
    for (uint32_t i = 0; i < lint->code->insns; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];

        if (lint->reachable[kind][i] && insn->op == PTO_OP_SYNC_ALL &&
            insn->operand[0].value == PTO_SYNC_ALL)
            lint_report(lint, PTO_LINT_SYNC_ALL, PTO_ERROR, PTO_LINT_YES, insn->pos,
                        ".core %s never comes to a sync_all all", pto_core_names[other]);
    }
}

void lint_cross(struct lint *lint)
{
    struct lint_sites sites[PTO_CORE_KINDS] = {{.sites = 0}};
    struct lint_subject subject = {.flags = LINT_CROSS};

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        if (!lint->kernel->core[kind].present)
            continue;
        lint_enter(lint, kind);
        lint_find_sites(&sites[kind], lint, subject, lint->profile->cross_flags_user);
    }
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        for (uint32_t i = 0; i < sites[kind].sites; i++) {
            lint_enter(lint, kind);
            if (sites[kind].site[i].set)
                look_at_set(lint, sites, kind, &sites[kind].site[i]);
            else
                look_at_wait(lint, sites, kind, &sites[kind].site[i]);
        }
        if (lint->kernel->core[kind].present)
            look_at_barriers(lint, kind);
    }
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        lint_sites_free(&sites[kind]);
}
