#include "data/libzip.h"

#include <dlfcn.h>

bool cli_libzip_open(struct libzip *z)
{
    z->library = dlopen(PTO_LIBZIP, RTLD_LAZY | RTLD_LOCAL);
    if (!z->library)
        return false;
#define ZIP_FUNCTION(name)                                                                         \
    *(void **)&z->name = dlsym(z->library, "zip_" #name);                                          \
    if (!z->name)                                                                                  \
        return cli_libzip_close(z), false;
#include "data/libzip.def"
#undef ZIP_FUNCTION
    return true;
}

void cli_libzip_close(struct libzip *z)
{
    dlclose(z->library);
}
