#include "profile.h"

enum pto_layout pto_profile_layout(const struct pto_profile *profile, enum pto_space space)
{
    uint8_t layout = pto_spaces[space].layout;

    return layout == PTO_OF_PROFILE ? profile->layout_l0a : layout;
}

unsigned pto_profile_layouts(const struct pto_profile *profile, enum pto_space space)
{
    const struct pto_space_info *info = &pto_spaces[space];

    if (info->layout == PTO_OF_PROFILE)
        return 1u << profile->layout_l0a;
    return info->layouts | (profile->a5 ? info->layouts_a5 : 0u);
}

unsigned pto_profile_spaces(const struct pto_profile *profile, unsigned cores)
{
    unsigned spaces = 0;

    for (unsigned i = 0; i < PTO_SPACE_COUNT; i++)
        if (profile->capacity[i] > 0 && cores >> pto_spaces[i].core & 1)
            spaces |= 1u << i;
    return spaces;
}

bool pto_profile_sends(const struct pto_profile *profile, enum pto_core_kind kind,
                       enum pto_space space)
{
    if (pto_spaces[space].core == kind)
        return false;
    for (unsigned from = 0; from < PTO_SPACE_COUNT; from++)
        if (pto_spaces[from].core == kind && profile->path[from][space].exists)
            return true;
    return false;
}

uint64_t pto_profile_ps(const struct pto_profile *profile, uint64_t millicycles)
{
    /* One cycle is 10^9 / kHz picoseconds. */
    unsigned __int128 scaled = (unsigned __int128)millicycles * 1000000 + profile->clock_khz - 1;
    unsigned __int128 ps = scaled / profile->clock_khz;

    return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
}

uint32_t pto_profile_l2_sets(const struct pto_profile *profile)
{
    return profile->l2_bytes ? profile->l2_bytes / (profile->l2_line * profile->l2_ways) : 0;
}
