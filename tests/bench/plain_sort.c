/* Sorting and counting: blocks of records, merges of sorted runs, histograms. */
#include <string.h>

#include "plain.h"

struct record {
    float value;
    uint32_t index;
};

void plain_sort_blocks(const struct plain *p)
{
    enum { BLOCK = 32 };
    struct record *d = p->at[0];
    const float *a = p->at[1];
    const uint32_t *index = p->at[2];
    size_t count = (size_t)64 * 256;

    for (size_t first = 0; first < count; first += BLOCK)
        for (size_t i = first; i < first + BLOCK; i++) {
            size_t k = i;

            for (; k > first && d[k - 1].value < a[i]; k--)
                d[k] = d[k - 1];
            d[k] = (struct record){a[i], index[i % 256]};
        }
}

static void merge(struct record *d, const struct record *const *list, size_t length)
{
    size_t used[4] = {0};

    for (size_t i = 0; i < 4 * length; i++) {
        int best = -1;

        for (int k = 0; k < 4; k++)
            if (used[k] < length &&
                (best < 0 || list[k][used[k]].value > list[best][used[best]].value))
                best = k;
        d[i] = list[best][used[best]++];
    }
}

void plain_merge_runs(const struct plain *p)
{
    enum { RUN = 32 };
    struct record *d = p->at[0];
    const struct record *a = p->at[1];

    for (size_t i = 0; i < p->n / 2; i += (size_t)4 * RUN) {
        const struct record *const list[] = {a + i, a + i + RUN, a + i + 2 * RUN, a + i + 3 * RUN};

        merge(d + i, list, RUN);
    }
}

void plain_merge_lists(const struct plain *p)
{
    const struct record *const list[] = {p->at[3], p->at[4], p->at[5], p->at[6]};

    merge(p->at[0], list, 2048);
}

void plain_histogram(const struct plain *p)
{
    uint32_t *d = p->at[0];
    const uint16_t *a = p->at[1];

    for (uint32_t r = 0; r < p->rows; r++, d += 256) {
        memset(d, 0, 256 * sizeof *d);
        for (uint32_t c = 0; c < p->cols; c++)
            d[a[r * p->cols + c] >> 8]++;
    }
}
