#include "data/source.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/host.h"
#include "data/npy.h"
#include "data/npz.h"
#include "file.h"

#define RANK_MARK "{rank}"
#define MIB 1048576.0

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), wanted = strlen(tail);

    return length >= wanted && !strcmp(text + length - wanted, tail);
}

bool cli_source_is_npz(const char *path)
{
    return ends_with(path, ".npz");
}

bool cli_source_is_npy(const char *path)
{
    return ends_with(path, ".npy");
}

static bool is_per_rank(const char *pattern)
{
    return strstr(pattern, RANK_MARK) != NULL;
}

const char *cli_source_path(const char *pattern, int rank, struct pto_arena *arena)
{
    const char *mark = strstr(pattern, RANK_MARK);
    const char *rest;

    if (!mark)
        return pattern;
    rest = cli_source_path(mark + strlen(RANK_MARK), rank, arena);
    return pto_arena_printf(arena, "%.*s%d%s", (int)(mark - pattern), pattern, rank, rest);
}

static bool is_word(const char *text)
{
    if (!*text)
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

static enum pto_status complain_dtype(const char *option, const char *name, const char *text,
                                      const char *word, struct pto_diags *diags)
{
    const char *names[PTO_DTYPE_COUNT], *best;
    struct pto_diag *diag;

    for (unsigned i = 0; i < PTO_DTYPE_COUNT; i++)
        names[i] = pto_dtype_name((enum pto_dtype)i);
    best = pto_nearest(word, names, PTO_DTYPE_COUNT);
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--%s %s=%s: unknown element type '%s'",
                        option, name, text, word);
    if (best)
        pto_diag_hint(diags, diag, "did you mean '%s'?", best);
    else
        pto_diag_hint(diags, diag, "types are f32 f16 bf16 f8e4m3 f8e5m2 i8 u8 ... i64 u64; "
                                   "generators iota zeros ones const:V random:SEED");
    return PTO_ECONFIG;
}

/* FILE[:DTYPE]; a colon may be part of a name that exists. */
static enum pto_status split_type(const char *option, const char *text, struct pto_arena *arena,
                                  struct cli_source *source, struct pto_diags *diags)
{
    const char *colon = strrchr(text, ':');

    source->pattern = text;
    if (!colon || colon == text || !is_word(colon + 1) || access(text, F_OK) == 0)
        return PTO_OK;
    source->dtype = pto_dtype_find(colon + 1);
    if (source->dtype < 0)
        return complain_dtype(option, source->name, text, colon + 1, diags);
    source->pattern = pto_arena_strndup(arena, text, (size_t)(colon - text));
    return PTO_OK;
}

/* FILE.npz:MEMBER[:DTYPE], `behind` the colon after ".npz"; no MEMBER: the one that suits. */
static enum pto_status split_member(const char *option, const char *text, const char *behind,
                                    struct pto_arena *arena, struct cli_source *source,
                                    struct pto_diags *diags)
{
    const char *colon = strrchr(behind, ':');
    size_t length = colon ? (size_t)(colon - behind) : strlen(behind);

    source->pattern = pto_arena_strndup(arena, text, (size_t)(behind - 1 - text));
    source->member = length ? pto_arena_strndup(arena, behind, length) : NULL;
    if (!colon)
        return PTO_OK;
    source->dtype = pto_dtype_find(colon + 1);
    return source->dtype < 0 ? complain_dtype(option, source->name, text, colon + 1, diags)
                             : PTO_OK;
}

enum pto_status cli_source_parse(const char *option, const char *name, const char *text,
                                 struct pto_arena *arena, struct cli_source *source,
                                 struct pto_diags *diags)
{
    const char *why = NULL, *archive = strstr(text, ".npz:");
    int generator;

    memset(source, 0, sizeof *source);
    source->name = name;
    source->dtype = -1;
    generator = cli_generator_parse(text, &source->generator, &why);
    if (generator != 0) {
        source->generated = true;
        if (generator > 0)
            return PTO_OK;
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--%s %s=%s: %s", option, name, text, why);
        return PTO_ECONFIG;
    }
    if (archive && access(text, F_OK) != 0)
        PTO_TRY(split_member(option, text, archive + strlen(".npz:"), arena, source, diags));
    else
        PTO_TRY(split_type(option, text, arena, source, diags));
    source->per_rank = is_per_rank(source->pattern);
    return PTO_OK;
}

void cli_source_retyped(const struct cli_source *source, enum pto_dtype dtype, struct pto_buf *out)
{
    pto_buf_printf(out, "%s", source->pattern);
    if (cli_source_is_npz(source->pattern))
        pto_buf_printf(out, ":%s", source->member ? source->member : "");
    pto_buf_printf(out, ":%s", pto_dtype_name(dtype));
}

/* Raw elements; takes the buffer over. */
static enum pto_status load_raw(const char *path, struct pto_buf *bytes, enum pto_dtype dtype,
                                struct cli_array *array, struct pto_diags *diags)
{
    unsigned size = pto_dtype_size(dtype);

    if (bytes->size % size != 0) {
        struct pto_diag *diag =
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                         "%s: %zu bytes are not a whole number of %s elements", path, bytes->size,
                         pto_dtype_name(dtype));

        pto_diag_hint(diags, diag, "name the type of its elements behind a colon, or give a .npy");
        pto_buf_free(bytes);
        return PTO_ECONFIG;
    }
    array->dtype = (uint8_t)dtype;
    array->count = bytes->size / size;
    array->owner = bytes->data ? bytes->data : pto_xmalloc(1);
    array->data = array->owner;
    return PTO_OK;
}

static enum pto_status load_npy(const char *path, struct pto_buf *bytes, int wanted,
                                struct cli_array *array, struct pto_diags *diags)
{
    struct cli_npy npy;
    enum pto_dtype dtype = PTO_F32;
    enum pto_status status = cli_npy_read(bytes->data, bytes->size, path, &npy, diags);

    if (npy.made || status != PTO_OK)
        pto_buf_free(bytes);
    PTO_TRY(status);
    status = cli_npy_dtype(&npy, wanted, path, &dtype, diags);
    array->data = npy.data;
    array->owner = npy.made ? npy.made : bytes->data;
    array->dtype = (uint8_t)dtype;
    array->shaped = true;
    array->dims = npy.dims;
    memcpy(array->dim, npy.dim, sizeof array->dim);
    array->count = npy.count;
    return status;
}

static enum pto_status load_npz(const struct cli_source *source, const char *path,
                                struct pto_buf *bytes, struct pto_arena *arena,
                                struct cli_array *array, struct pto_diags *diags)
{
    const struct cli_npz_choice choice = {path, source->member, source->name};
    struct pto_buf npy = {0};
    const char *label;
    enum pto_status status =
        cli_npz_read(bytes->data, bytes->size, &choice, arena, &npy, &label, diags);

    pto_buf_free(bytes);
    if (status == PTO_OK)
        return load_npy(label, &npy, source->dtype, array, diags);
    pto_buf_free(&npy);
    return status;
}

/* false: told.  What cannot be read at all is told later. */
static bool begins_like_npy(const char *path, struct pto_diags *diags)
{
    uint8_t first[8];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, first, sizeof first);
    struct cli_npy npy;

    if (fd >= 0)
        close(fd);
    if (got < 0 || cli_npy_is(first, (size_t)got))
        return true;
    return cli_npy_read(first, (size_t)got, path, &npy, diags) == PTO_OK;
}

/* Look at a file before all of it is read; false: told. */
static bool look_at(const char *path, uint64_t most, struct pto_diags *diags)
{
    struct stat info;
    struct pto_diag *diag;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return true;
    if (cli_source_is_npy(path) && !begins_like_npy(path, diags))
        return false;
    if (most == 0)
        most = cli_host_memory("");
    if ((uint64_t)info.st_size <= most)
        return true;
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "'%s' has %.1f MiB, and %.1f MiB of memory "
                        "are allowed", path, (double)info.st_size / MIB, (double)most / MIB);
    pto_diag_hint(diags, diag, "raise the limit with --max-memory");
    return false;
}

enum pto_status cli_source_load(const struct cli_source *source, int rank, enum pto_dtype declared,
                                uint64_t most, struct cli_array *array, struct pto_diags *diags)
{
    struct pto_arena arena = {0};
    struct pto_buf bytes = {0};
    const char *why = "";
    const char *path = cli_source_path(source->pattern, rank, &arena);
    enum pto_status status;

    memset(array, 0, sizeof *array);
    if (!look_at(path, most, diags)) {
        pto_arena_free(&arena);
        return PTO_ECONFIG;
    }
    status = pto_file_read(path, PTO_FILE_DATA, &bytes, &why);
    if (status != PTO_OK) {
        const char *meant = cli_generator_nearest(path);
        struct pto_diag *diag =
            pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot read '%s': %s", path, why);

        if (meant && !strcmp(meant, path))
            pto_diag_hint(diags, diag, "numbers that are made have the declared type: '%s' alone",
                          meant);
        else if (meant)
            pto_diag_hint(diags, diag, "did you mean '%s'?", meant);
        else
            pto_diag_hint(diags, diag, "a file, or one of iota, zeros, ones, const:V, random:SEED");
        pto_buf_free(&bytes);
        status = PTO_ECONFIG;
    } else if (cli_source_is_npz(path)) {
        status = load_npz(source, path, &bytes, &arena, array, diags);
    } else if (cli_source_is_npy(path) || cli_npy_is(bytes.data, bytes.size)) {
        status = load_npy(path, &bytes, source->dtype, array, diags);
    } else {
        status = load_raw(path, &bytes, source->dtype >= 0 ? (enum pto_dtype)source->dtype
                                                           : declared,
                          array, diags);
    }
    pto_arena_free(&arena);
    return status;
}
