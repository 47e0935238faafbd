/* The flag instructions of one pair of pipes of a program, or those between sub-cores, with the ids
 * that they can have.  Internal to the lint. */
#ifndef PTO_LINT_SITES_H
#define PTO_LINT_SITES_H

#include "graph.h"

struct lint_site {
    uint32_t at;
    bool set;     /* else it waits */
    bool unknown; /* the id may be anything */
    bool outside; /* the id may be one that does not exist */
    uint32_t ids; /* mask of those that exist */
};

struct lint_sites {
    struct lint_graph graph; /* to be explored for single events */
    struct lint_site *site;
    uint32_t sites, capacity;
    uint32_t ids;     /* of all sites */
    int64_t unknown;  /* instruction of the first site of unknown id, or -1 */
};

/* Find them among the reachable instructions, and report ids that do not exist: `limit` ids do.
 * Free the sites in any case. */
void lint_find_sites(struct lint_sites *sites, struct lint *lint, struct lint_subject subject,
                     uint32_t limit);
void lint_sites_free(struct lint_sites *sites);
/* Can one of the sites set one of these ids, or else wait for one? */
bool lint_sites_have(const struct lint_sites *sites, bool set, uint32_t ids);
/* "0", "0 and 1", "0, 1 and 2": the ids of a mask. */
const char *lint_ids_text(struct lint *lint, uint32_t ids);

#endif
