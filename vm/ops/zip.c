/* Rows element by element in turn, and back. */
#include "zip.h"

#define ZIP(type)                                                                                  \
    static void zip_##type(void *to, const void *even, const void *odd, uint32_t count)            \
    {                                                                                              \
        mem_##type *t = to;                                                                        \
        const mem_##type *a = even, *b = odd;                                                      \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < count; i++) {                                                       \
            t[2 * i] = a[i];                                                                       \
            t[2 * i + 1] = b[i];                                                                   \
        }                                                                                          \
    }                                                                                              \
    static void unzip_##type(void *even, void *odd, const void *from, uint32_t count)              \
    {                                                                                              \
        mem_##type *a = even, *b = odd;                                                            \
        const mem_##type *f = from;                                                                \
                                                                                                   \
        OP_INDEPENDENT                                                                             \
        for (size_t i = 0; i < count; i++) {                                                       \
            a[i] = f[2 * i];                                                                       \
            b[i] = f[2 * i + 1];                                                                   \
        }                                                                                          \
    }
ZIP(u8)
ZIP(u16)
ZIP(u32)
ZIP(u64)

void op_zip(uint32_t size, void *to, const void *even, const void *odd, uint32_t count)
{
    switch (size) {
    case 1: zip_u8(to, even, odd, count); break;
    case 2: zip_u16(to, even, odd, count); break;
    case 4: zip_u32(to, even, odd, count); break;
    default: zip_u64(to, even, odd, count);
    }
}

void op_unzip(uint32_t size, void *even, void *odd, const void *from, uint32_t count)
{
    switch (size) {
    case 1: unzip_u8(even, odd, from, count); break;
    case 2: unzip_u16(even, odd, from, count); break;
    case 4: unzip_u32(even, odd, from, count); break;
    default: unzip_u64(even, odd, from, count);
    }
}
