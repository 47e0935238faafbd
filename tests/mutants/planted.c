/* Linked with programs that have many planted faults, of which only those are awake whose numbers
 * stand in the variable PTO_PLANTED: "3" or "3,17,204".  PTO_PLANTED_PASSED names a file of MOST
 * bytes: a byte becomes 1 when the place of its fault is passed. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 4096 /* faults: run.py plants no more */

unsigned char pto_planted_awake[MOST], *pto_planted_passed;

__attribute__((constructor)) static void pto_planted_begin(void)
{
    const char *awake = getenv("PTO_PLANTED"), *file = getenv("PTO_PLANTED_PASSED");
    int passed;

    while (awake && *awake) {
        char *end;

        pto_planted_awake[strtoul(awake, &end, 10) % MOST] = 1;
        awake = *end ? end + 1 : end;
    }
    if (file && (passed = open(file, O_RDWR)) >= 0) {
        void *bytes = mmap(NULL, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, passed, 0);

        if (bytes != MAP_FAILED)
            pto_planted_passed = bytes;
        close(passed);
    }
}
