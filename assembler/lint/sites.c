#include "sites.h"

#include <stdlib.h>

const char *lint_ids_text(struct lint *lint, uint32_t ids)
{
    struct pto_buf text = {0};
    const char *result;

    for (unsigned id = 0; ids; id++) {
        if (!(ids >> id & 1))
            continue;
        ids &= ~(1u << id);
        pto_buf_printf(&text, "%s%u", !text.size ? "" : ids ? ", " : " and ", id);
    }
    result = pto_arena_strdup(&lint->result->arena, pto_buf_text(&text));
    pto_buf_free(&text);
    return result;
}

static struct lint_site *site_at(struct lint_sites *sites, uint32_t at)
{
    uint32_t low = 0, high = sites->sites;

    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;

        if (sites->site[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return &sites->site[low];
}

static void list_sites(struct lint_sites *sites, const struct lint *lint)
{
    for (uint32_t i = 0; i < lint->code->insns; i++) {
        const struct pto_insn *insn = &lint->code->insn[i];

        if (!lint_subject_id(&sites->graph.subject, insn) || !lint->reachable[lint->core_kind][i])
            continue;
        PTO_GROW(sites->site, sites->sites, sites->capacity);
        sites->site[sites->sites++] = (struct lint_site){
            .at = i,
            .set = insn->op == PTO_OP_SET_FLAG || insn->op == PTO_OP_SET_FLAG_DEV ||
                   insn->op == PTO_OP_SET_INTRA_BLOCK};
    }
}

/* Add an id that a site can have. */
static void add_id(struct lint_site *site, struct lint_value id, uint32_t limit)
{
    if (id.known != LINT_NUMBER)
        site->unknown = true;
    else if (id.value < 0 || id.value >= limit)
        site->outside = true;
    else
        site->ids |= 1u << id.value;
}

static void report_outside(struct lint *lint, const struct lint_site *site,
                           enum lint_flags flags, uint32_t limit)
{
    static const char *const NAMES[] = {"event", "cross-core", "intra-block"};
    const struct pto_insn *insn = &lint->code->insn[site->at];
    bool certain = !site->ids && !site->unknown;
    struct pto_lint_finding *finding;

    if (!site->outside)
        return;
    finding = lint_report(lint, PTO_LINT_EVENT_ID, certain ? PTO_ERROR : PTO_WARNING,
                          certain ? PTO_LINT_YES : PTO_LINT_UNKNOWN, insn->pos,
                          "the id of this %s %s out of range", pto_op_info(insn->op)->mnemonic,
                          certain ? "is" : "can be");
    lint_hint(lint, finding, "%s flags have ids 0 to %u on profile %s", NAMES[flags], limit - 1,
              lint->profile->name);
}

void lint_find_sites(struct lint_sites *sites, struct lint *lint, struct lint_subject subject,
                     uint32_t limit)
{
    struct lint_graph *graph = &sites->graph;

    *sites = (struct lint_sites){.unknown = -1};
    lint_graph_init(graph, lint, subject);
    list_sites(sites, lint);
    if (sites->sites && lint_explore(graph, LINT_NO_EVENT, 0)) {
        for (uint32_t i = 0; i < graph->nodes; i++) {
            const struct lint_node *node = &graph->node[i];
            const struct pto_scalar *id = lint_subject_id(&subject, &lint->code->insn[node->at]);

            if (id)
                add_id(site_at(sites, node->at), lint_read(&graph->track, &node->state, id),
                       limit);
        }
    } else {
        for (uint32_t i = 0; i < sites->sites; i++)
            sites->site[i].unknown = true;
    }
    for (uint32_t i = 0; i < sites->sites; i++) {
        report_outside(lint, &sites->site[i], subject.flags, limit);
        sites->ids |= sites->site[i].ids;
        if (sites->site[i].unknown && sites->unknown < 0)
            sites->unknown = sites->site[i].at;
    }
}

void lint_sites_free(struct lint_sites *sites)
{
    lint_graph_free(&sites->graph);
    free(sites->site);
}

bool lint_sites_have(const struct lint_sites *sites, bool set, uint32_t ids)
{
    for (uint32_t i = 0; i < sites->sites; i++)
        if (sites->site[i].set == set && (sites->site[i].unknown || sites->site[i].ids & ids))
            return true;
    return false;
}
