#include "stock.h"

#include <malloc.h>
#include <stdlib.h>

/* Blocks have a power of 2 of bytes; larger ones are rare and go back to the host. */
enum { SMALLEST_BITS = 6, LARGEST_BITS = 20, KINDS = LARGEST_BITS - SMALLEST_BITS + 1 };

/* What a thread keeps at most: it may take in more than it sends.  AddressSanitizer is to see who
 * uses a block that he has given away. */
#ifdef __SANITIZE_ADDRESS__
enum { MOST_KEPT = 0 };
#else
enum { MOST_KEPT = 32 << 20 };
#endif

struct kept {
    struct kept *next;
};

struct stock {
    _Alignas(PTO_HOST_LINE) struct kept *first[KINDS];
    size_t bytes; /* of all that is kept */
};

/* The largest b with 2^b <= bytes, which are at least 1. */
static unsigned bits_of(size_t bytes)
{
    return 63 - (unsigned)__builtin_clzll(bytes);
}

static struct stock *stock_of(const struct rank *rank)
{
    return &rank->vm->stock[rank->args - rank->vm->args];
}

void stock_create(struct pto_vm *vm)
{
    vm->stock = pto_arena_lines(&vm->arena, vm->threads, sizeof *vm->stock);
}

void stock_free(struct pto_vm *vm)
{
    for (unsigned t = 0; t < vm->threads; t++)
        for (unsigned kind = 0; kind < KINDS; kind++)
            for (struct kept *block = vm->stock[t].first[kind], *next; block; block = next) {
                next = block->next;
                free(block);
            }
}

void *stock_take(const struct rank *rank, size_t bytes)
{
    struct stock *stock = stock_of(rank);
    unsigned bits = bytes > 1 << SMALLEST_BITS ? bits_of(bytes - 1) + 1 : SMALLEST_BITS;
    struct kept **first, *block;

    if (bits > LARGEST_BITS)
        return pto_xmalloc(bytes);
    first = &stock->first[bits - SMALLEST_BITS];
    block = *first;
    if (!block)
        return pto_xmalloc((size_t)1 << bits);
    *first = block->next;
    stock->bytes -= (size_t)1 << bits;
    return block;
}

void stock_give(const struct rank *rank, void *block)
{
    struct stock *stock = stock_of(rank);
    struct kept *kept = block;
    size_t usable = malloc_usable_size(block);
    unsigned bits = usable ? bits_of(usable) : 0;
    struct kept **first;

    if (bits < SMALLEST_BITS || bits > LARGEST_BITS ||
        stock->bytes + ((size_t)1 << bits) > MOST_KEPT) {
        free(block);
        return;
    }
    first = &stock->first[bits - SMALLEST_BITS];
    kept->next = *first;
    *first = kept;
    stock->bytes += (size_t)1 << bits;
}
