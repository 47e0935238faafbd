#include "profile_built_in.h"

#include <string.h>

#define EMBED(name, text) {name, text},
static const struct {
    const char *name, *text;
} built_in[] = {
#include "profiles_embedded.h"
};
#undef EMBED
#define EMBED(name, text) name,
static const char *const built_in_names[] = {
#include "profiles_embedded.h"
    NULL
};
#undef EMBED
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

const char *profile_built_in(const char *name)
{
    for (unsigned i = 0; i < BUILT_IN; i++)
        if (!strcmp(name, built_in[i].name))
            return built_in[i].text;
    return NULL;
}

const char *profile_built_in_list(struct pto_arena *arena)
{
    const char *list = "";

    for (unsigned i = 0; i < BUILT_IN; i++)
        list = pto_arena_printf(arena, "%s %s", list, built_in[i].name);
    return list;
}

const char *const *pto_profile_names(void)
{
    return built_in_names;
}
