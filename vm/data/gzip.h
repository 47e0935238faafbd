/* Compression in the gzip format (RFC 1952), through zlib where there is one. */
#ifndef PTO_DATA_GZIP_H
#define PTO_DATA_GZIP_H

#include <stddef.h>
#include <stdint.h>

struct gzip;
typedef void gzip_sink(void *context, const uint8_t *data, size_t size);

/* NULL: there is none; *why says so. */
struct gzip *gzip_begin(const char **why);
void gzip_put(struct gzip *gzip, const uint8_t *data, size_t size, gzip_sink *sink, void *context);
void gzip_end(struct gzip *gzip, gzip_sink *sink, void *context);
void gzip_free(struct gzip *gzip);

#endif
