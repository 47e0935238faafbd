#include "profile.h"

enum pto_layout pto_profile_layout(const struct pto_profile *profile, enum pto_space space)
{
    uint8_t layout = pto_spaces[space].layout;

    return layout == PTO_OF_PROFILE ? profile->layout_l0a : layout;
}

unsigned pto_profile_layouts(const struct pto_profile *profile, enum pto_space space)
{
    return pto_spaces[space].layout == PTO_OF_PROFILE ? 1u << profile->layout_l0a
                                                      : pto_spaces[space].layouts;
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
