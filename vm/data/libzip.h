/* libzip, loaded when the first archive is at hand: it brings a library of ciphers along, and a run
 * without archives would take twice as long to start. */
#ifndef PTO_DATA_LIBZIP_H
#define PTO_DATA_LIBZIP_H

#include <stdbool.h>
#include <zip.h>

struct libzip {
    void *library;
#define ZIP_FUNCTION(name) __typeof__(zip_##name) *name;
#include "data/libzip.def"
#undef ZIP_FUNCTION
};

/* False: this host has no libzip of the version that the program was built with. */
bool cli_libzip_open(struct libzip *z);
void cli_libzip_close(struct libzip *z);

#endif
