/* Do the flags inside a block, set_intra_block and wait_intra_block, have both halves? */
#include "core_name.h"
#include "sites.h"

static uint32_t ids_of(const struct lint *lint, enum pto_core_kind kind)
{
    bool both = kind == PTO_AIC && lint->kernel->vectors_per_block > 1;

    return both ? 2 * PTO_INTRA_BLOCK_FLAGS : PTO_INTRA_BLOCK_FLAGS;
}

/* What the other side calls flags of one side.  The cube has two numbers for a flag of the vector
 * program, one for each sub-core that runs it. */
static uint32_t seen_from_other_side(enum pto_core_kind kind, uint32_t ids)
{
    const uint32_t own = (1u << PTO_INTRA_BLOCK_FLAGS) - 1;

    return kind == PTO_AIV ? ids | ids << PTO_INTRA_BLOCK_FLAGS
                           : (ids | ids >> PTO_INTRA_BLOCK_FLAGS) & own;
}

static void look_at_site(struct lint *lint, const struct lint_sites *sites,
                         enum pto_core_kind kind, const struct lint_site *site)
{
    enum pto_core_kind other = PTO_AIC + PTO_AIV - kind;
    uint32_t pos = lint->code->insn[site->at].pos;

    if (site->unknown || !site->ids ||
        lint_sites_have(&sites[other], !site->set, seen_from_other_side(kind, site->ids)))
        return;
    if (site->set)
        lint_report(lint, PTO_LINT_CROSS_LEFT, PTO_ERROR, PTO_LINT_YES, pos,
                    "the intra-block flag %s is sent to .core %s, which does not wait for it",
                    lint_ids_text(lint, site->ids), pto_core_names[other]);
    else
        lint_report(lint, PTO_LINT_CROSS_MISSING, PTO_ERROR, PTO_LINT_YES, pos,
                    "a wait for the intra-block flag %s, which .core %s does not send",
                    lint_ids_text(lint, site->ids), pto_core_names[other]);
}

void lint_intra(struct lint *lint)
{
    struct lint_sites sites[PTO_CORE_KINDS] = {{.sites = 0}};

    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
        if (!lint->kernel->core[kind].present)
            continue;
        lint_enter(lint, kind);
        lint_find_sites(&sites[kind], lint, (struct lint_subject){.flags = LINT_INTRA},
                        ids_of(lint, kind));
    }
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        for (uint32_t i = 0; i < sites[kind].sites; i++) {
            lint_enter(lint, kind);
            look_at_site(lint, sites, kind, &sites[kind].site[i]);
        }
    for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++)
        lint_sites_free(&sites[kind]);
}
