/* The target under libFuzzer (https://llvm.org/docs/LibFuzzer.html): half of the changes are its
 * own, half are the target's. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= FUZZ_MOST_BYTES)
        fuzz_one("tests/asm/good/fuzzed.pto", data, size);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed + UINT64_C(0x9e3779b97f4a7c15);

    return seed & 1 ? LLVMFuzzerMutate(data, size, most) : fuzz_change(data, size, most, &state);
}
