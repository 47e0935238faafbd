/* A build without zlib. */
#include "data/gzip.h"

struct gzip *gzip_begin(const char **why)
{
    *why = "this build has no zlib (zlib1g-dev when it is built): leave out the .gz";
    return NULL;
}

void gzip_put(struct gzip *gzip, const uint8_t *data, size_t size, gzip_sink *sink, void *context)
{
    (void)gzip;
    (void)data;
    (void)size;
    (void)sink;
    (void)context;
}

void gzip_end(struct gzip *gzip, gzip_sink *sink, void *context)
{
    (void)gzip;
    (void)sink;
    (void)context;
}

void gzip_free(struct gzip *gzip)
{
    (void)gzip;
}
