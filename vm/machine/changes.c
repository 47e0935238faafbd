#include "changes.h"

#include <stddef.h>

#include "core.h"

const struct spell *spell_find(const struct spells *spells, uint32_t of, uint64_t time)
{
    uint32_t low = 0, high = spells->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct spell *spell = &spells->spell[middle];

        if (spell->of < of || (spell->of == of && spell->from <= time))
            low = middle + 1;
        else
            high = middle;
    }
    return low && spells->spell[low - 1].of == of ? &spells->spell[low - 1] : NULL;
}

uint64_t spell_end(const struct spells *spells, const struct spell *spell)
{
    const struct spell *next = spell + 1;

    return next < spells->spell + spells->count && next->of == spell->of ? next->from
                                                                         : ENGINE_NEVER;
}
