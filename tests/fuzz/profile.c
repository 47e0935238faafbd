/* Profiles. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "profile_file.h"
#include "profile_load.h"

static const char *const words[] = {
    "base = a2\n", "base = a5\n", "cores", "events", "cross_flags", "link_latency", "queue_depth",
    " = ", "0\n", "1\n", "-1\n", "192 KiB\n", "5 us\n", "1 GB/s\n", "1850 MHz\n", "1e30", "#", "[",
    "]", "path", "\n", NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    return fuzz_change_text(data, size, most, words, state);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct pto_diags diags = {.max_errors = 20};
    struct pto_profile profile;
    enum pto_status status = pto_profile_load("a2", &profile, &diags);

    assert(text && status == PTO_OK);
    memcpy(text, data, size);
    text[size] = '\0';
    status = profile_file_read(name, text, &profile, &diags);
    assert((status == PTO_OK) == (diags.errors == 0));
    free(text);
    pto_diags_free(&diags);
}
