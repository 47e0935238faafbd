#include "data/npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[6] = {'\x93', 'N', 'U', 'M', 'P', 'Y'};
enum {
    ALIGNMENT = 64,         /* the data start at a multiple of this in files */
    READABLE = 16,          /* and here, where they are used as they lie */
    HEADER_LIMIT = 1 << 20, /* versions 2 and 3 could claim 4 GiB */
    DESCR_LIMIT = 16
};

bool cli_npy_is(const uint8_t *bytes, size_t size)
{
    return size >= sizeof MAGIC && !memcmp(bytes, MAGIC, sizeof MAGIC);
}

/* ---- header ------------------------------------------------------------------------------- */

/* The header is a Python dict literal; `why` is set at the first thing out of place. */
struct header {
    const char *at, *end;
    const char *why;
    char descr[DESCR_LIMIT + 1];
    bool fortran;
    bool has_descr, has_order, has_shape;
    struct cli_npy *npy;
};

static void fail(struct header *h, const char *why)
{
    if (!h->why)
        h->why = why;
    h->at = h->end;
}

static char peek(struct header *h)
{
    while (h->at < h->end && (*h->at == ' ' || *h->at == '\n' || *h->at == '\t'))
        h->at++;
    return h->at < h->end ? *h->at : '\0';
}

static bool take(struct header *h, char c)
{
    if (peek(h) != c)
        return false;
    h->at++;
    return true;
}

/* A quoted string without escapes; empty on failure. */
static size_t take_string(struct header *h, const char **text)
{
    char quote = peek(h);
    const char *close;

    if (quote != '\'' && quote != '"') {
        fail(h, "a quoted string is expected");
        return 0;
    }
    *text = ++h->at;
    close = memchr(h->at, quote, (size_t)(h->end - h->at));
    if (!close) {
        fail(h, "a string does not end");
        return 0;
    }
    h->at = close + 1;
    return (size_t)(close - *text);
}

static bool take_word(struct header *h, const char *word)
{
    size_t length = strlen(word);

    if (peek(h) != word[0] || (size_t)(h->end - h->at) < length || memcmp(h->at, word, length))
        return false;
    h->at += length;
    return true;
}

static void take_descr(struct header *h)
{
    const char *text;
    size_t length;

    if (peek(h) == '[') {
        fail(h, "it holds records; save one field as an array of its own");
        return;
    }
    length = take_string(h, &text);
    if (length == 0 || length > DESCR_LIMIT) {
        fail(h, "the element type is not one that ptovm knows");
        return;
    }
    memcpy(h->descr, text, length);
    h->has_descr = true;
}

static void take_shape(struct header *h)
{
    struct cli_npy *npy = h->npy;

    if (!take(h, '(')) {
        fail(h, "the shape is not a tuple");
        return;
    }
    while (!take(h, ')')) {
        uint64_t value = 0;

        if (npy->dims == PTO_MAX_DIMS) {
            fail(h, "it has more dimensions than an object can have (6)");
            return;
        }
        if (peek(h) < '0' || peek(h) > '9') {
            fail(h, "the shape holds something that is not a number");
            return;
        }
        for (; h->at < h->end && *h->at >= '0' && *h->at <= '9'; h->at++)
            if (__builtin_mul_overflow(value, UINT64_C(10), &value) ||
                __builtin_add_overflow(value, (uint64_t)(*h->at - '0'), &value)) {
                fail(h, "a dimension is too large");
                return;
            }
        if (h->at < h->end && *h->at == 'L') /* Python 2 wrote long integers so */
            h->at++;
        npy->dim[npy->dims++] = value;
        if (!take(h, ',') && peek(h) != ')') {
            fail(h, "the shape is not a tuple");
            return;
        }
    }
    h->has_shape = true;
}

static void take_entry(struct header *h)
{
    const char *key;
    size_t length = take_string(h, &key);

    if (!take(h, ':')) {
        fail(h, "a ':' is missing");
    } else if (length == 5 && !memcmp(key, "descr", 5) && !h->has_descr) {
        take_descr(h);
    } else if (length == 5 && !memcmp(key, "shape", 5) && !h->has_shape) {
        take_shape(h);
    } else if (length == 13 && !memcmp(key, "fortran_order", 13) && !h->has_order) {
        h->has_order = true;
        h->fortran = take_word(h, "True");
        if (!h->fortran && !take_word(h, "False"))
            fail(h, "fortran_order is neither True nor False");
    } else {
        fail(h, "a key is unknown or appears twice");
    }
}

static void parse_header(struct header *h)
{
    if (!take(h, '{'))
        fail(h, "the header is not a dict");
    while (!h->why && !take(h, '}')) {
        take_entry(h);
        if (!h->why && !take(h, ',') && peek(h) != '}')
            fail(h, "the header ends too early");
    }
    if (!h->why && peek(h))
        fail(h, "something follows the header's dict");
    if (!h->why && !(h->has_descr && h->has_order && h->has_shape))
        fail(h, "descr, fortran_order or shape is missing");
}

/* ---- element type ------------------------------------------------------------------------- */

/* "<f4": byte order, kind, size. */
static void parse_descr(struct header *h, bool *swap)
{
    struct cli_npy *npy = h->npy;
    const char *d = h->descr;
    char *end;
    unsigned long size;

    *swap = d[0] == '>';
    if (!strchr("<>|=", d[0]) || !d[1] || !strchr("fiubV", d[1])) {
        fail(h, "the element type is not one that ptovm knows");
        return;
    }
    size = d[2] >= '0' && d[2] <= '9' ? strtoul(d + 2, &end, 10) : 0;
    if (size == 0 || *end || (size != 1 && size != 2 && size != 4 && size != 8)) {
        fail(h, "its elements have a size that ptovm does not know");
        return;
    }
    npy->kind = d[1];
    npy->itemsize = (unsigned)size;
}

/* Natural type of the contents, or -1: none of ours. */
static int natural_dtype(char kind, unsigned size)
{
    static const struct {
        char kind;
        unsigned size;
        enum pto_dtype dtype;
    } known[] = {{'f', 4, PTO_F32}, {'f', 2, PTO_F16}, {'i', 1, PTO_I8},  {'u', 1, PTO_U8},
                 {'b', 1, PTO_U8},  {'i', 2, PTO_I16}, {'u', 2, PTO_U16}, {'i', 4, PTO_I32},
                 {'u', 4, PTO_U32}, {'i', 8, PTO_I64}, {'u', 8, PTO_U64}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].kind == kind && known[i].size == size)
            return (int)known[i].dtype;
    return -1;
}

/* As numpy calls it: "float64". */
static const char *numpy_name(const struct cli_npy *npy, char text[32])
{
    const char *kind = npy->kind == 'f'   ? "float"
                       : npy->kind == 'i' ? "int"
                       : npy->kind == 'u' ? "uint"
                                          : "void";

    if (npy->kind == 'b')
        return "bool";
    snprintf(text, 32, "%s%u", kind, npy->itemsize * 8);
    return text;
}

enum pto_status cli_npy_dtype(const struct cli_npy *npy, int wanted, const char *name,
                              enum pto_dtype *dtype, struct pto_diags *diags)
{
    int natural = natural_dtype(npy->kind, npy->itemsize);
    bool bits = npy->kind == 'u' || npy->kind == 'i' || npy->kind == 'V';
    struct pto_diag *diag;
    char text[32];

    if (wanted < 0 && natural >= 0) {
        *dtype = (enum pto_dtype)natural;
        return PTO_OK;
    }
    if (wanted >= 0 && (natural == wanted ||
                        (bits && pto_dtype_size((enum pto_dtype)wanted) == npy->itemsize))) {
        *dtype = (enum pto_dtype)wanted;
        return PTO_OK;
    }
    if (wanted >= 0) {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s: elements of type %s are not %s",
                            name, numpy_name(npy, text),
                            pto_dtype_name((enum pto_dtype)wanted));
        pto_diag_hint(diags, diag, "a type after ':' names the meaning of the bits and does not "
                                   "convert; convert the array with numpy");
    } else if (npy->kind == 'V') {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            "%s: elements of type %s have no meaning of their own", name,
                            numpy_name(npy, text));
        pto_diag_hint(diags, diag, "name it: %s:%s", name, npy->itemsize == 2 ? "bf16" : "f8e4m3");
    } else {
        diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                            "%s: elements of type %s are not a type of this machine", name,
                            numpy_name(npy, text));
        pto_diag_hint(diags, diag, "convert it with numpy: a.astype(numpy.float32)");
    }
    return PTO_ECONFIG;
}

/* ---- contents ----------------------------------------------------------------------------- */

/* From column major (first index fastest) to row major. */
static void from_fortran(const struct cli_npy *npy, const uint8_t *src, uint8_t *dst)
{
    uint64_t stride[PTO_MAX_DIMS], index[PTO_MAX_DIMS] = {0};
    uint64_t step = 1, from = 0;

    for (unsigned d = 0; d < npy->dims; d++) {
        stride[d] = step;
        step *= npy->dim[d];
    }
    for (uint64_t i = 0; i < npy->count; i++) {
        memcpy(dst + i * npy->itemsize, src + from * npy->itemsize, npy->itemsize);
        for (unsigned d = npy->dims; d-- > 0;) {
            from += stride[d];
            if (++index[d] < npy->dim[d])
                break;
            from -= stride[d] * npy->dim[d];
            index[d] = 0;
        }
    }
}

static void swap_items(uint8_t *data, uint64_t count, unsigned size)
{
    for (uint64_t i = 0; i < count; i++, data += size)
        for (unsigned k = 0; k < size / 2; k++) {
            uint8_t byte = data[k];

            data[k] = data[size - 1 - k];
            data[size - 1 - k] = byte;
        }
}

static void load_contents(struct header *h, const uint8_t *bytes, size_t size, bool swap)
{
    struct cli_npy *npy = h->npy;
    uint64_t total = npy->itemsize;

    npy->count = 1;
    for (unsigned d = 0; d < npy->dims; d++)
        if (npy->dim[d] == 0)
            npy->count = 0;
    for (unsigned d = 0; d < npy->dims && npy->count > 0; d++)
        if (__builtin_mul_overflow(npy->count, npy->dim[d], &npy->count)) {
            fail(h, "the shape is too large");
            return;
        }
    if (__builtin_mul_overflow(total, npy->count, &total) || total != size) {
        fail(h, total > size ? "the file ends before its data do"
                             : "bytes are left over behind its data");
        return;
    }
    npy->data = bytes;
    if (!swap && !(h->fortran && npy->dims > 1) && (uintptr_t)bytes % READABLE == 0)
        return;
    npy->data = npy->made = pto_xmalloc(size + 1);
    if (h->fortran && npy->dims > 1)
        from_fortran(npy, bytes, npy->made);
    else if (size > 0)
        memcpy(npy->made, bytes, size);
    if (swap)
        swap_items(npy->made, npy->count, npy->itemsize);
}

/* Where the header's text starts and how long it is; false if the file is too short. */
static bool header_extent(const uint8_t *bytes, size_t size, size_t *start, size_t *length)
{
    if (size < 10)
        return false;
    *start = bytes[6] == 1 ? 10 : 12;
    if (size < *start)
        return false;
    *length = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (*start == 12)
        *length |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    return *length <= size - *start && *length <= HEADER_LIMIT;
}

enum pto_status cli_npy_read(const uint8_t *bytes, size_t size, const char *name,
                             struct cli_npy *npy, struct pto_diags *diags)
{
    size_t start = 0, length = 0;
    bool swap = false;
    struct header h = {.npy = npy};
    struct pto_diag *diag;

    memset(npy, 0, sizeof *npy);
    if (size == 0)
        fail(&h, "it is empty");
    else if (!cli_npy_is(bytes, size))
        fail(&h, "it does not start like one");
    else if (size < 8 || bytes[6] < 1 || bytes[6] > 3)
        fail(&h, "its version is none of 1.0, 2.0 and 3.0");
    else if (!header_extent(bytes, size, &start, &length))
        fail(&h, "its header is cut short or too long");
    if (!h.why) {
        h.at = (const char *)bytes + start;
        h.end = h.at + length;
        parse_header(&h);
    }
    if (!h.why)
        parse_descr(&h, &swap);
    if (!h.why)
        load_contents(&h, bytes + start + length, size - start - length, swap);
    if (!h.why)
        return PTO_OK;
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s: not a usable .npy file: %s", name,
                        h.why);
    pto_diag_hint(diags, diag, "numpy.save(name, array) with a real or integer array writes one");
    return PTO_ECONFIG;
}

void cli_npy_header(enum pto_dtype dtype, const uint64_t *dim, unsigned dims, struct pto_buf *out)
{
    unsigned size = pto_dtype_size(dtype);
    bool numpy_float = dtype == PTO_F32 || dtype == PTO_F16;
    char kind = numpy_float ? 'f' : pto_dtype_is_signed(dtype) ? 'i' : 'u';
    size_t start = out->size, length;

    pto_buf_append(out, MAGIC, sizeof MAGIC);
    pto_buf_append(out, "\x01\x00\x00\x00", 4); /* version, length to be filled in */
    pto_buf_printf(out, "{'descr': '%c%c%u', 'fortran_order': False, 'shape': (",
                   size == 1 ? '|' : '<', kind, size);
    for (unsigned d = 0; d < dims; d++)
        pto_buf_printf(out, "%llu%s", (unsigned long long)dim[d],
                       dims == 1 ? "," : d + 1 < dims ? ", " : "");
    pto_buf_printf(out, "), }");
    while ((out->size - start + 1) % ALIGNMENT != 0)
        pto_buf_byte(out, ' ');
    pto_buf_byte(out, '\n');
    length = out->size - start - 10;
    out->data[start + 8] = (uint8_t)(length & 0xff);
    out->data[start + 9] = (uint8_t)(length >> 8);
}
