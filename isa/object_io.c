#include "object_io.h"

#include <stdio.h>
#include <string.h>

#include "bits.h"
#include "characters.h"
#include "ops.h"

static void fail_at(struct io *io, size_t at, const char *problem)
{
    if (io->problem)
        return;
    io->problem = problem;
    io->problem_at = at;
}

enum { CRC_STEP = 8 }; /* bytes */

/* table[n][b]: what byte b does to the sum after n more bytes. */
static void crc_tables(uint32_t table[CRC_STEP][256])
{
    const uint32_t polynomial = 0x82f63b78; /* of CRC-32C (Castagnoli), reflected */

    table[0][0] = 0;
    for (unsigned bit = 128, sum = 1; bit; bit >>= 1) {
        sum = sum >> 1 ^ (sum & 1 ? polynomial : 0);
        for (unsigned b = 0; b < 256; b += 2 * bit)
            table[0][b + bit] = table[0][b] ^ sum;
    }
    for (unsigned n = 1; n < CRC_STEP; n++)
        for (unsigned b = 0; b < 256; b++)
            table[n][b] = table[n - 1][b] >> 8 ^ table[0][table[n - 1][b] & 255];
}

static uint32_t word_at(const uint8_t *data)
{
    return (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 |
           (uint32_t)data[3] << 24;
}

/* What four bytes do to the sum; the table is that of the last of them. */
static uint32_t crc_of_word(uint32_t table[][256], uint32_t word)
{
    return table[3][word & 255] ^ table[2][word >> 8 & 255] ^ table[1][word >> 16 & 255] ^
           table[0][word >> 24];
}

static uint32_t crc32c(const uint8_t *data, size_t size)
{
    uint32_t table[CRC_STEP][256], crc = UINT32_MAX;
    size_t i = 0;

    crc_tables(table);
    for (; i + CRC_STEP <= size; i += CRC_STEP)
        crc = crc_of_word(&table[4], crc ^ word_at(data + i)) ^
              crc_of_word(&table[0], word_at(data + i + 4));
    for (; i < size; i++)
        crc = crc >> 8 ^ table[0][(crc ^ data[i]) & 255];
    return ~crc;
}

uint64_t io_read(struct io *io, unsigned bytes, uint64_t most, const char *what)
{
    size_t at = io->at;
    uint64_t value = 0;

    if (io->problem)
        return 0;
    if (io->size - at < bytes) {
        fail_at(io, at, "it ends in the middle of a field");
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)io->bytes[io->at++] << (8 * i);
    if (value <= most)
        return value;
    fail_at(io, at,
            pto_arena_printf(io->arena, "%s %llu, at most %llu is allowed", what,
                             (unsigned long long)value, (unsigned long long)most));
    return 0;
}

void io_f64(struct io *io, double *value)
{
    const uint64_t nan = 0x7ff8000000000000;
    size_t at = io->at;
    uint64_t bits = io->out && *value != *value ? nan : pto_f64_bits(*value);

    io_u64(io, &bits, UINT64_MAX, NULL);
    *value = pto_f64_from_bits(bits);
    if (!io->out && *value != *value && bits != nan)
        fail_at(io, at, "a NaN that is not the canonical one");
}

void io_string(struct io *io, const char **text)
{
    size_t at = io->at, length;

    if (io->out) {
        length = *text ? strlen(*text) : 0;
        pto_buf_u32(io->out, (uint32_t)length);
        pto_buf_append(io->out, *text, length);
        return;
    }
    length = (size_t)io_read(io, 4, OBJECT_LONGEST_STRING, "length of a text");
    if (length > io->size - io->at)
        fail_at(io, at, "a text runs past the end");
    if (io->problem)
        length = 0;
    for (size_t i = 0, step; i < length; i += step) {
        const char *character = (const char *)io->bytes + io->at + i;

        step = *character ? pto_utf8_length(character, length - i) : 0; /* NUL is not text */
        if (step == 0) {
            fail_at(io, io->at + i, "a text is not UTF-8");
            length = 0;
        }
    }
    *text = pto_arena_strndup(io->arena, (const char *)io->bytes + io->at, length);
    io->at += length;
}

void io_count(struct io *io, uint32_t *count, uint32_t most, size_t least_bytes, const char *what)
{
    size_t at = io->at;

    io_u32(io, count, most, what);
    if (!io->out && !io->problem && *count > (io->size - io->at) / least_bytes) {
        fail_at(io, at,
                pto_arena_printf(io->arena, "%u %s are more than its bytes can hold", *count,
                                 what));
        *count = 0;
    }
}

void *io_array(struct io *io, void *array, size_t count, size_t size)
{
    return io->out ? array : pto_arena_array(io->arena, count, size);
}

void io_fixed(struct io *io, uint32_t value, const char *problem)
{
    size_t at = io->at;
    uint32_t found = value;

    io_u32(io, &found, UINT32_MAX, NULL);
    if (found != value)
        fail_at(io, at, problem);
}

void io_op(struct io *io, uint16_t *op)
{
    size_t at = io->at;
    uint16_t number = io->out ? pto_op_info(*op)->number : 0;
    int found;

    io_u16(io, &number, UINT16_MAX, NULL);
    if (io->out)
        return;
    found = pto_op_numbered(number);
    if (found < 0)
        fail_at(io, at, pto_arena_printf(io->arena, "instruction number %u is unknown", number));
    else
        *op = (uint16_t)found;
}

void io_tag(struct io *io, const char *tag)
{
    uint32_t wanted = 0;

    for (unsigned i = 0; i < 4; i++)
        wanted |= (uint32_t)(uint8_t)tag[i] << (8 * i);
    io_fixed(io, wanted, "a section does not start here");
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

void io_begin_write(struct io *io)
{
    static const uint8_t zero[OBJECT_HEADER_BYTES];

    io->version = OBJECT_VERSION;
    io->start = io->out->size;
    pto_buf_append(io->out, zero, sizeof zero);
}

void io_end_write(struct io *io)
{
    uint8_t *header = io->out->data + io->start;
    size_t size = io->out->size - io->start;

    memcpy(header, OBJECT_MAGIC, 4);
    put_u32(header + 4, OBJECT_VERSION);
    put_u32(header + 8, (uint32_t)size);
    put_u32(header + 12, (uint32_t)(size >> 32));
    put_u32(header + 20, OBJECT_MAKER);
    put_u32(header + 16, crc32c(header + 20, size - 20));
}

void io_begin_read(struct io *io)
{
    uint32_t magic, crc, maker;
    size_t covered; /* by the checksum: from here on */
    uint64_t total;

    if (io->size < OBJECT_HEADER_BYTES) {
        fail_at(io, io->size, "it is shorter than its header");
        return;
    }
    magic = (uint32_t)io_read(io, 4, UINT32_MAX, NULL);
    io->version = (uint32_t)io_read(io, 4, UINT32_MAX, NULL);
    total = io_read(io, 8, UINT64_MAX, NULL);
    crc = (uint32_t)io_read(io, 4, UINT32_MAX, NULL);
    maker = (uint32_t)io_read(io, 4, UINT32_MAX, NULL);
    covered = io->version == 1 ? OBJECT_HEADER_BYTES : 20;
    if (magic != 0x424f5450) /* "PTOB" */
        fail_at(io, 0, "it does not start with " OBJECT_MAGIC);
    else if (io->version < OBJECT_OLDEST_VERSION || io->version > OBJECT_VERSION)
        fail_at(io, 4, pto_arena_printf(io->arena, "version %u, this program reads %d to %d",
                                        io->version, OBJECT_OLDEST_VERSION, OBJECT_VERSION));
    else if (total != io->size)
        fail_at(io, 8, pto_arena_printf(io->arena, "it says it has %llu bytes, but it has %zu",
                                        (unsigned long long)total, io->size));
    else if (io->size > OBJECT_MOST_BYTES)
        fail_at(io, 8, "it has more than 64 MiB");
    else if (io->version == 1 && maker != 0)
        fail_at(io, 20, "a reserved field is not zero");
    else if (crc != crc32c(io->bytes + covered, io->size - covered))
        fail_at(io, 16, "the checksum does not fit the contents");
    if (!io->problem || (magic == 0x424f5450 && io->version > OBJECT_VERSION))
        io->maker = maker;
}

void io_end_read(struct io *io)
{
    if (!io->problem && io->at != io->size)
        fail_at(io, io->at, "bytes are left over at its end");
}
