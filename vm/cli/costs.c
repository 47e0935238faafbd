#include "cli/costs.h"

#include <string.h>

#include "profile_load.h"
#include "profile_scale.h"
#include "tool/number.h"

static enum pto_status set(const struct cli_pair *pair, struct pto_profile *profile,
                           struct pto_diags *diags)
{
    struct pto_buf line = {0};
    const char *lines[1];
    enum pto_status status;

    pto_buf_printf(&line, "%s=%s", pto_profile_cost_key(pair->name), pair->value);
    lines[0] = pto_buf_text(&line);
    status = pto_profile_change(lines, 1, "--set-cost", profile, diags);
    pto_buf_free(&line);
    return status;
}

enum pto_status cli_costs_set(const struct cli_pairs *costs, struct pto_profile *profile,
                              struct pto_diags *diags)
{
    for (unsigned i = 0; i < costs->count; i++) {
        const struct cli_pair *pair = &costs->item[i];
        size_t length = strlen(pair->value);
        const char *wrong;
        double factor;

        if (!length || pair->value[length - 1] != 'x' ||
            !tool_parse_float(pair->value, length - 1, &factor)) {
            PTO_TRY(set(pair, profile, diags));
            continue;
        }
        wrong = factor > 0 ? pto_profile_scale(profile, pair->name, factor)
                           : "can only be multiplied by what is more than 0";
        if (!wrong)
            continue;
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--set-cost %s=%s: '%s' %s",
                                   pair->name, pair->value, pair->name, wrong),
                      "write for instance link_bandwidth=2x, v_exp=0.5x or link_latency=1us");
        return PTO_ECONFIG;
    }
    return PTO_OK;
}
