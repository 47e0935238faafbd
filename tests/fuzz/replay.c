/* The target without libFuzzer: every input that is named, then mutants of them, the same ones on
 * every host.
 *
 *   fuzz_NAME MUTANTS FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "fuzz.h"

enum { MOST_EDITS = 4 };

static struct pto_buf read_input(const char *path)
{
    struct pto_buf bytes = {0};
    const char *why = "";

    if (pto_file_read(path, PTO_FILE_TEXT, &bytes, &why) != PTO_OK) {
        fprintf(stderr, "%s: %s\n", path, why);
        exit(1);
    }
    return bytes;
}

/* In a block of its exact size, so that the sanitizers see every read past its end. */
static void try_exact(const char *path, const uint8_t *data, size_t size)
{
    uint8_t *exact = pto_xmalloc(size);

    memcpy(exact, data, size);
    fuzz_one(path, exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    static uint8_t room[FUZZ_MOST_BYTES];
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15);
    long mutants = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    unsigned inputs = argc > 2 ? (unsigned)argc - 2 : 0;

    for (unsigned i = 0; i < inputs; i++) {
        struct pto_buf bytes = read_input(argv[i + 2]);

        try_exact(argv[i + 2], bytes.data, bytes.size);
        pto_buf_free(&bytes);
    }
    for (long m = 0; m < mutants && inputs; m++) {
        const char *path = argv[fuzz_below(&state, inputs) + 2];
        struct pto_buf bytes = read_input(path);
        size_t size = bytes.size < sizeof room ? bytes.size : sizeof room;

        memcpy(room, bytes.data, size);
        for (uint64_t edits = 1 + fuzz_below(&state, MOST_EDITS); edits; edits--)
            size = fuzz_change(room, size, sizeof room, &state);
        try_exact(path, room, size);
        pto_buf_free(&bytes);
    }
    printf("%u inputs, %ld mutants\n", inputs, mutants);
    return inputs ? 0 : 1;
}
