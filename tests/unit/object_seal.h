/* The head of an object, made right for the bytes behind it; independent of the library
 * (docs/object-format.md). */
#ifndef PTO_OBJECT_SEAL_H
#define PTO_OBJECT_SEAL_H

#include <stddef.h>
#include <stdint.h>

enum { VERSION = 4, SIZE = 8, CHECKSUM = 16, MAKER = 20, HEADER = 24 }; /* bytes */

/* Bit by bit. */
static uint32_t checksum(const uint8_t *data, size_t size)
{
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    }
    return ~crc;
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

/* Make size and checksum fit, so that the damage is not noticed there. */
static void repair(uint8_t *bytes, size_t size)
{
    size_t covered;

    if (size < HEADER)
        return;
    put_u32(bytes + SIZE, (uint32_t)size);
    put_u32(bytes + SIZE + 4, 0);
    covered = bytes[VERSION] == 1 ? HEADER : MAKER;
    put_u32(bytes + CHECKSUM, checksum(bytes + covered, size - covered));
}

#endif
