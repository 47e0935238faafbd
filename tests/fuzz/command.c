/* Command lines of ptovm and ptodbg, one word a line. */
#include <assert.h>
#include <string.h>

#include "cli/options.h"
#include "fuzz.h"

static const char *const words[] = {
    "run\n", "check\n", "info\n", "a.pto\n", "a.pto:k\n", "--\n", "-\n", "--ranks\n",
    "--cores=", "--link-down\n", "0-1,2-3\n", "--slow-rank\n", "1=2.5\n", "--set\n", "n=1K\n",
    "x=@f\n", "--in\n", "a=iota\n", "a=random:1\n", "a=f.npy:bf16\n", "--out\n", "--expect\n",
    "--max-time\n", "1.5us\n", "--timeout=300ms\n", "--max-memory\n", "64M\n", "--threads\n",
    "--check-kind\n", "race-raw,", "--error-exitcode\n", "--json=", "-q\n", "-x\n", "-e\n",
    "--rtol\n", "1e-3\n", "-D\n", "-I\n", "9223372036854775808", "-1", "0x", "=", ":", ",", "\n",
    NULL};

size_t fuzz_change(uint8_t *data, size_t size, size_t most, uint64_t *state)
{
    return fuzz_change_text(data, size, most, words, state);
}

static void parse(char **argv, int argc, unsigned users)
{
    struct cli_options options = {0};
    struct pto_diags diags = {0};
    enum pto_status status = cli_options_parse(&options, argc, argv, users, &diags);

    assert((status == PTO_OK) == (diags.errors == 0));
    if (status == PTO_OK)
        cli_options_check(&options, CLI_RUN, "run", &diags);
    cli_options_free(&options);
    pto_diags_free(&diags);
}

void fuzz_one(const char *name, const uint8_t *data, size_t size)
{
    enum { WORDS = 64 };
    char *argv[WORDS + 1] = {"ptovm"}, text[FUZZ_MOST_BYTES + 1];
    int argc = 1;

    (void)name;
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *word = strtok(text, "\n"); word && argc < WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    argv[argc] = NULL;
    parse(argv, argc, CLI_PTOVM);
    parse(argv, argc, CLI_DEBUG);
}
