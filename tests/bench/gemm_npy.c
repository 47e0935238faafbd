/* What a user would write in place of a kernel: c = a * b with OpenBLAS's sgemm on one thread, from
 * two .npy files of f16 to a third.
 *   gemm_npy A.npy B.npy C.npy      square matrices, as numpy.save writes them
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEADER = 128, TEXT = 10 }; /* bytes before a matrix, before the text there */

typedef void sgemm_function(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float *a, int lda, const float *b, int ldb, float beta, float *c,
                            int ldc);

static void *need(void *pointer, const char *what)
{
    if (!pointer) {
        fprintf(stderr, "gemm_npy: %s\n", what);
        exit(1);
    }
    return pointer;
}

/* The elements of a square matrix, widened; its header and side are left in `header`, `side`. */
static float *load(const char *path, char header[HEADER], int *side)
{
    FILE *file = need(fopen(path, "rb"), path);
    const char *shape;
    _Float16 *narrow;
    float *wide;
    size_t count;

    if (fread(header, 1, HEADER, file) != HEADER || memcmp(header, "\x93NUMPY", 6) != 0)
        need(NULL, "no .npy file");
    header[HEADER - 1] = 0;
    shape = need(strstr(header + TEXT, "'shape': ("), "no shape");
    *side = (int)strtol(shape + strlen("'shape': ("), NULL, 10);
    header[HEADER - 1] = '\n';
    count = (size_t)*side * (size_t)*side;
    narrow = need(malloc(count * sizeof *narrow), "no memory");
    wide = need(malloc(count * sizeof *wide), "no memory");
    if (fread(narrow, sizeof *narrow, count, file) != count)
        need(NULL, "the file is too short");
    fclose(file);
    for (size_t i = 0; i < count; i++)
        wide[i] = (float)narrow[i];
    free(narrow);
    return wide;
}

static void store(const char *path, const char header[HEADER], const float *wide, int side)
{
    size_t count = (size_t)side * (size_t)side;
    _Float16 *narrow = need(malloc(count * sizeof *narrow), "no memory");
    FILE *file = need(fopen(path, "wb"), path);

    for (size_t i = 0; i < count; i++)
        narrow[i] = (_Float16)wide[i];
    if (fwrite(header, 1, HEADER, file) != HEADER ||
        fwrite(narrow, sizeof *narrow, count, file) != count || fclose(file) != 0)
        need(NULL, "cannot write the result");
    free(narrow);
}

int main(int argc, char **argv)
{
    enum { ROW_MAJOR = 101, AS_IT_IS = 111 };
    char header[HEADER];
    void *library;
    sgemm_function *sgemm;
    float *a, *b, *c;
    int n;

    if (argc != 4)
        need(NULL, "usage: gemm_npy A.npy B.npy C.npy");
    library = need(dlopen("libopenblas.so.0", RTLD_NOW), "install libopenblas0");
    sgemm = (sgemm_function *)need(dlsym(library, "cblas_sgemm"), "no cblas_sgemm");
    a = load(argv[1], header, &n);
    b = load(argv[2], header, &n);
    c = need(malloc((size_t)n * (size_t)n * sizeof *c), "no memory");
    sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, n, n, n, 1, a, n, b, n, 0, c, n);
    store(argv[3], header, c, n);
    free(a);
    free(b);
    free(c);
    return 0;
}
