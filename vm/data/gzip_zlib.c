#include "data/gzip.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#include "arena.h"

#define ZLIB "libz.so.1" /* what all versions of its interface so far are called */

enum {
    ROOM = 1 << 16,
    LEVEL = 6,        /* zlib's own choice */
    WINDOW_BITS = 15, /* the largest window */
    AS_GZIP = 16,     /* added to the window's bits: this format */
    MEMORY_LEVEL = 8
};

/* zlib is loaded when the first file is to be compressed, as libzip is for archives. */
struct gzip {
    void *library;
    __typeof__(deflateInit2_) *init;
    __typeof__(deflate) *step;
    __typeof__(deflateEnd) *end;
    z_stream stream;
    uint8_t room[ROOM];
};

static bool find_functions(struct gzip *gzip)
{
    *(void **)&gzip->init = dlsym(gzip->library, "deflateInit2_");
    *(void **)&gzip->step = dlsym(gzip->library, "deflate");
    *(void **)&gzip->end = dlsym(gzip->library, "deflateEnd");
    return gzip->init && gzip->step && gzip->end;
}

struct gzip *gzip_begin(const char **why)
{
    struct gzip *gzip = pto_xcalloc(1, sizeof *gzip);

    gzip->library = dlopen(ZLIB, RTLD_LAZY | RTLD_LOCAL);
    if (gzip->library && find_functions(gzip) &&
        gzip->init(&gzip->stream, LEVEL, Z_DEFLATED, WINDOW_BITS + AS_GZIP, MEMORY_LEVEL,
                   Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof gzip->stream) == Z_OK)
        return gzip;
    *why = "this host has no " ZLIB ": install it (zlib1g), or leave out the .gz";
    if (gzip->library)
        dlclose(gzip->library);
    free(gzip);
    return NULL;
}

static void run(struct gzip *gzip, int flush, gzip_sink *sink, void *context)
{
    do {
        gzip->stream.next_out = gzip->room;
        gzip->stream.avail_out = ROOM;
        gzip->step(&gzip->stream, flush);
        sink(context, gzip->room, ROOM - gzip->stream.avail_out);
    } while (gzip->stream.avail_out == 0);
}

void gzip_put(struct gzip *gzip, const uint8_t *data, size_t size, gzip_sink *sink, void *context)
{
    while (size) {
        uInt some = size < ROOM ? (uInt)size : ROOM;

        gzip->stream.next_in = (Bytef *)(uintptr_t)data;
        gzip->stream.avail_in = some;
        run(gzip, Z_NO_FLUSH, sink, context);
        data += some;
        size -= some;
    }
}

void gzip_end(struct gzip *gzip, gzip_sink *sink, void *context)
{
    run(gzip, Z_FINISH, sink, context);
}

void gzip_free(struct gzip *gzip)
{
    if (!gzip)
        return;
    gzip->end(&gzip->stream);
    dlclose(gzip->library);
    free(gzip);
}
