#include "cli/build.h"

#include <string.h>

#include "data/hash.h"
#include "file.h"
#include "version.h"

uint64_t cli_build_hash(void)
{
    uint64_t hash = cli_hash(CLI_HASH_OF_NOTHING, pto_version(), strlen(pto_version()));
    struct pto_buf bytes = {0};
    const char *why;

    if (pto_file_read("/proc/self/exe", PTO_FILE_DATA, &bytes, &why) == PTO_OK)
        hash = cli_hash(hash, bytes.data, bytes.size);
    pto_buf_free(&bytes);
    return hash;
}
