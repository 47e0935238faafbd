/* FNV-1a, 64 bits (Fowler, Noll, Vo): for what changed, not for those who forge. */
#ifndef PTO_DATA_HASH_H
#define PTO_DATA_HASH_H

#include <stddef.h>
#include <stdint.h>

#define CLI_HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

static inline uint64_t cli_hash(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *byte = data;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    return hash;
}

#endif
