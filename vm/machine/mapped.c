#include "mapped.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"

/* Sanitizers look after the ends of blocks of the heap, and know nothing of mappings. */
#if defined(__SANITIZE_ADDRESS__)
#define MAPS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAPS false
#endif
#endif
#ifndef MAPS
#define MAPS true
#endif

/* A mapping each PIECE bytes; the host limits their number (vm.max_map_count, 65,530 by default),
 * and threads and large blocks need some, too.  Less than SMALLEST is poisoned as fast. */
enum { PIECE = 256 << 10, SMALLEST = 64 << 10, MOST_PIECES = 16384, BLOCK = 16 << 10 };
enum { PART = 4 << 10 };
enum { LARGE_PAGE = 2 << 20, CHUNK = 4 * LARGE_PAGE, HEAP_STEP = 16 * LARGE_PAGE };
/* Large pages are zeroed as a whole: beyond these 256 MiB, memory is given by what is touched. */
enum { MOST_CHUNKS = 32 };

/* The head of a part of a chunk that was given back. */
struct cut {
    struct cut *next;
    size_t size;
};

/* ---- poison ---- */

void poison_begin(struct poison *poison)
{
    *poison = (struct poison){.file = -1, .refused = !MAPS};
    pthread_mutex_init(&poison->lock, NULL);
}

void poison_end(struct poison *poison)
{
    for (unsigned i = 0; i < poison->chunks; i++)
        munmap(poison->chunk[i], CHUNK);
    free(poison->chunk);
    if (poison->file >= 0)
        close(poison->file);
    pthread_mutex_destroy(&poison->lock);
}

static bool fill(int file)
{
    uint8_t block[BLOCK];

    memset(block, POISON, sizeof block);
    for (size_t done = 0; done < PIECE; done += sizeof block)
        if (write(file, block, sizeof block) != (ssize_t)sizeof block)
            return false;
    return true;
}

static bool open_file(struct poison *poison)
{
    if (poison->file >= 0 || poison->refused)
        return poison->file >= 0;
    poison->file = memfd_create("poison", MFD_CLOEXEC);
    if (poison->file >= 0 && fill(poison->file))
        return true;
    if (poison->file >= 0)
        close(poison->file);
    poison->file = -1;
    poison->refused = true;
    return false;
}

static unsigned pieces_of(size_t size)
{
    return (unsigned)(size / PIECE + (size % PIECE != 0));
}

static bool take_pieces(struct poison *poison, size_t size)
{
    bool there;

    if (size < SMALLEST || size / PIECE >= MOST_PIECES)
        return false;
    pthread_mutex_lock(&poison->lock);
    there = pieces_of(size) <= MOST_PIECES - poison->pieces && open_file(poison);
    poison->pieces += there ? pieces_of(size) : 0;
    pthread_mutex_unlock(&poison->lock);
    return there;
}

static void give_pieces_back(struct poison *poison, size_t size)
{
    pthread_mutex_lock(&poison->lock);
    poison->pieces -= pieces_of(size);
    pthread_mutex_unlock(&poison->lock);
}

static uint8_t *map_file(int file, size_t size)
{
    uint8_t *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);

    if (data == MAP_FAILED)
        return NULL;
    for (size_t at = PIECE; at < size; at += PIECE) {
        size_t bytes = size - at < PIECE ? size - at : PIECE;

        if (mmap(data + at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) ==
            MAP_FAILED) {
            munmap(data, size);
            return NULL;
        }
    }
    return data;
}

uint8_t *map_poison(struct poison *poison, size_t size)
{
    uint8_t *data;

    if (!take_pieces(poison, size))
        return NULL;
    data = map_file(poison->file, size);
    if (!data)
        give_pieces_back(poison, size);
    return data;
}

/* ---- zeros ---- */

/* At an address that large pages can have; what is left at the end has small ones. */
static uint8_t *map_large_zeros(size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), all = (size + page - 1) / page * page;
    uint8_t *data;
    size_t before;

    if (!MAPS || size < LARGE_PAGE || size > SIZE_MAX / 2)
        return NULL;
    data = mmap(NULL, all + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED)
        return NULL;
    before = (LARGE_PAGE - (uintptr_t)data % LARGE_PAGE) % LARGE_PAGE;
    if (before)
        munmap(data, before);
    munmap(data + before + all, LARGE_PAGE - before);
    madvise(data + before, all, MADV_HUGEPAGE); /* a wish */
    return data + before;
}

/* Neighbours are one mapping for the host. */
uint8_t *map_zeros(size_t size, bool sparse)
{
    uint8_t *data;

    if (!MAPS || size < SMALLEST)
        return NULL;
    if (size >= LARGE_PAGE && !sparse)
        return map_large_zeros(size);
    data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return data == MAP_FAILED ? NULL : data;
}

/* ---- parts of chunks ---- */

static struct cut **find_cut(struct poison *poison, size_t size)
{
    struct cut **at = &poison->given_back;

    while (*at && (*at)->size != size)
        at = &(*at)->next;
    return at;
}

static bool add_chunk(struct poison *poison)
{
    uint8_t *data = map_large_zeros(CHUNK);

    if (!data)
        return false;
    poison->chunk = pto_xrealloc(poison->chunk, (poison->chunks + 1) * sizeof *poison->chunk);
    poison->chunk[poison->chunks++] = data;
    poison->rest = data;
    poison->rest_size = CHUNK;
    return true;
}

/* A part that is no whole number of small pages would leave the next one between them. */
static size_t whole_parts(size_t size)
{
    return (size + PART - 1) / PART * PART;
}

static uint8_t *cut_fresh(struct poison *poison, size_t size)
{
    uint8_t *data;

    if (poison->rest_size < size && !add_chunk(poison))
        return NULL;
    data = poison->rest;
    poison->rest += size;
    poison->rest_size -= size;
    return data;
}

static uint8_t *cut(struct poison *poison, size_t size)
{
    struct cut **old = find_cut(poison, size);
    uint8_t *data = (uint8_t *)*old;

    if (data) {
        *old = (*old)->next;
        return data;
    }
    if (poison->rest_size < size && poison->chunks >= MOST_CHUNKS)
        return NULL;
    return cut_fresh(poison, size);
}

uint8_t *map_cut(struct poison *poison, size_t size, bool zeros)
{
    uint8_t *data;

    if (size < SMALLEST || size > LARGE_PAGE)
        return NULL;
    pthread_mutex_lock(&poison->lock);
    data = (zeros ? cut_fresh : cut)(poison, whole_parts(size));
    pthread_mutex_unlock(&poison->lock);
    return data;
}

static void keep_cut(struct poison *poison, uint8_t *data, size_t size)
{
    struct cut *cut = (struct cut *)(void *)data;

    pthread_mutex_lock(&poison->lock);
    *cut = (struct cut){poison->given_back, whole_parts(size)};
    poison->given_back = cut;
    pthread_mutex_unlock(&poison->lock);
}

/* ---- the heap ---- */

/* Blocks of less than a large page come from the heap, whose end moves by several of them, so that
 * what lies ahead is advised before it is touched. */
static void begin_large_heap(void)
{
#ifdef M_TOP_PAD /* other C libraries have no such heap */
    mallopt(M_MMAP_THRESHOLD, LARGE_PAGE);
    mallopt(M_TOP_PAD, HEAP_STEP);
#endif
    free(pto_xmalloc(LARGE_PAGE / 2));
}

void map_heap_large(void)
{
    static atomic_uintptr_t advised; /* the process has one such heap, whatever machines it has */
    uintptr_t begin, end;

    if (!MAPS)
        return;
    begin = advised ? advised : (uintptr_t)sbrk(0);
    if (!advised)
        begin_large_heap();
    end = (uintptr_t)sbrk(0);
    if (end > begin)
        madvise((void *)begin, end - begin, MADV_HUGEPAGE);
    if (end != begin || !advised)
        advised = end;
}

/* ---- all of them ---- */

void map_free(struct poison *poison, enum mapped what, uint8_t *data, size_t size)
{
    if (what == MAPPED_CUT) {
        keep_cut(poison, data, size);
        return;
    }
    if (what == MAPPED_NOT)
        free(data);
    else
        munmap(data, size);
    if (what == MAPPED_POISON)
        give_pieces_back(poison, size);
}
