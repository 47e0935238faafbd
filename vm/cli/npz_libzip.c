/* .npz archives through libzip. */
#include "cli/npz.h"

#include <string.h>
#include <zip.h>

#include "cli/host.h"

enum { PIECE = 1 << 20, NAMES_SHOWN = 20 };

static const uint64_t MOST = (uint64_t)64 << 30; /* as for any file of data */
static const char SUFFIX[] = ".npy";

static enum pto_status complain(const char *what, const char *why, const char *hint,
                                struct pto_diags *diags)
{
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0,
                                         "%s: not a usable .npz file: %s", what, why);

    if (hint)
        pto_diag_hint(diags, diag, "%s", hint);
    return PTO_ECONFIG;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Length of a member's name without ".npy". */
static size_t stem(const char *name)
{
    size_t length = strlen(name), tail = sizeof SUFFIX - 1;

    return length > tail && !strcmp(name + length - tail, SUFFIX) ? length - tail : length;
}

static void list_members(zip_t *archive, struct pto_buf *out)
{
    zip_int64_t count = zip_get_num_entries(archive, 0);

    for (zip_int64_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        const char *name = zip_get_name(archive, (zip_uint64_t)i, 0);

        if (name)
            pto_buf_printf(out, "%s%.*s", i ? ", " : "", (int)stem(name), name);
    }
    if (count > NAMES_SHOWN)
        pto_buf_printf(out, " and %lld more", (long long)count - NAMES_SHOWN);
}

static zip_int64_t find_member(zip_t *archive, const char *name)
{
    zip_int64_t count = zip_get_num_entries(archive, 0);

    for (zip_int64_t i = 0; i < count; i++) {
        const char *have = zip_get_name(archive, (zip_uint64_t)i, 0);

        if (have && strlen(name) == stem(have) && !strncmp(have, name, stem(have)))
            return i;
    }
    return -1;
}

/* The number of the member that is wanted, or -1 after a complaint. */
static zip_int64_t choose(zip_t *archive, const struct cli_npz_choice *choice,
                          struct pto_diags *diags)
{
    zip_int64_t found = find_member(archive, choice->member ? choice->member : choice->name);
    struct pto_buf names = {0};
    struct pto_diag *diag;

    if (found < 0 && !choice->member && zip_get_num_entries(archive, 0) == 1)
        found = 0;
    if (found >= 0)
        return found;
    list_members(archive, &names);
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "%s has no array '%s'; it holds %s",
                        choice->path, choice->member ? choice->member : choice->name,
                        names.size ? pto_buf_text(&names) : "none");
    if (!choice->member && names.size)
        pto_diag_hint(diags, diag, "name the array behind a colon: %s:NAME", choice->path);
    pto_buf_free(&names);
    return -1;
}

/* What may be unpacked: a small archive can claim, and give, any number of bytes. */
static uint64_t most_bytes(void)
{
    uint64_t memory = cli_host_memory("");

    return memory && memory / 2 < MOST ? memory / 2 : MOST;
}

/* As many bytes as the archive's directory says: `size`. */
static enum pto_status unpack(zip_file_t *file, const char *label, uint64_t size,
                              struct pto_buf *out, struct pto_diags *diags)
{
    for (;;) {
        zip_int64_t got = zip_fread(file, pto_buf_room(out, PIECE), PIECE);

        if (got < 0)
            return complain(label, zip_error_strerror(zip_file_get_error(file)), NULL, diags);
        out->size += (size_t)got;
        if (got == 0 && out->size == size)
            return PTO_OK;
        if (got == 0 || out->size > size)
            return complain(label, "it is not as large as the archive says", NULL, diags);
    }
}

static enum pto_status read_member(zip_t *archive, const struct cli_npz_choice *choice,
                                   struct pto_arena *arena, struct pto_buf *npy,
                                   const char **label, struct pto_diags *diags)
{
    zip_int64_t index = choose(archive, choice, diags);
    enum pto_status status;
    zip_stat_t info;
    const char *name;
    zip_file_t *file;

    if (index < 0)
        return PTO_ECONFIG;
    name = zip_get_name(archive, (zip_uint64_t)index, 0);
    zip_stat_init(&info);
    if (zip_stat_index(archive, (zip_uint64_t)index, 0, &info) != 0)
        return complain(choice->path, zip_strerror(archive), NULL, diags);
    *label = pto_arena_printf(arena, "%s:%.*s", choice->path, (int)stem(name), name);
    if (info.size > most_bytes())
        return complain(*label, "unpacked, it would take more memory than there is", NULL, diags);
    file = zip_fopen_index(archive, (zip_uint64_t)index, 0);
    if (!file)
        return complain(*label, zip_strerror(archive), NULL, diags);
    status = unpack(file, *label, info.size, npy, diags);
    zip_fclose(file);
    return status;
}

enum pto_status cli_npz_read(const uint8_t *bytes, size_t size, const struct cli_npz_choice *choice,
                             struct pto_arena *arena, struct pto_buf *npy, const char **label,
                             struct pto_diags *diags)
{
    static const char how[] = "numpy.savez(name, a=array) writes one";
    zip_source_t *source;
    enum pto_status status;
    zip_error_t error;
    zip_t *archive;

    *label = choice->path;
    if (size == 0)
        return complain(choice->path, "it is empty", how, diags);
    zip_error_init(&error);
    source = zip_source_buffer_create(bytes, size, 0, &error);
    archive = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (archive) {
        status = read_member(archive, choice, arena, npy, label, diags);
        zip_discard(archive);
    } else {
        status = complain(choice->path, zip_error_strerror(&error), how, diags);
        zip_source_free(source);
    }
    zip_error_fini(&error);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Nothing of the host's clock: the first day that a zip file knows. */
static bool add_member(zip_t *archive, const struct cli_npz_member *member)
{
    enum { FIRST_OF_JANUARY_1980 = 1 << 5 | 1 };
    zip_source_t *source = zip_source_buffer(archive, member->npy.data, member->npy.size, 0);
    struct pto_buf name = {0};
    zip_int64_t index;

    pto_buf_printf(&name, "%s%s", member->name, SUFFIX);
    index = source ? zip_file_add(archive, pto_buf_text(&name), source, ZIP_FL_ENC_UTF_8) : -1;
    pto_buf_free(&name);
    if (index < 0) {
        zip_source_free(source);
        return false;
    }
    return zip_set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0 &&
           zip_file_set_dostime(archive, (zip_uint64_t)index, 0, FIRST_OF_JANUARY_1980, 0) == 0;
}

/* The archive's bytes out of the source that libzip has written them to. */
static bool take_bytes(zip_source_t *source, struct pto_buf *out)
{
    zip_int64_t got = -1;

    if (zip_source_open(source) != 0)
        return false;
    while ((got = zip_source_read(source, pto_buf_room(out, PIECE), PIECE)) > 0)
        out->size += (size_t)got;
    zip_source_close(source);
    return got == 0;
}

/* Takes one reference of the source. */
static bool pack(zip_source_t *source, const struct cli_npz_member *member, unsigned count,
                 zip_error_t *error)
{
    zip_t *archive = zip_open_from_source(source, ZIP_TRUNCATE, error);
    bool done = archive != NULL;

    if (!archive) {
        zip_source_free(source);
        return false;
    }
    for (unsigned i = 0; i < count && done; i++)
        done = add_member(archive, &member[i]);
    if (done && zip_close(archive) == 0)
        return true;
    zip_error_set(error, zip_error_code_zip(zip_get_error(archive)),
                  zip_error_code_system(zip_get_error(archive)));
    zip_discard(archive);
    return false;
}

enum pto_status cli_npz_write(const struct cli_npz_member *member, unsigned count,
                              const char *path, struct pto_buf *out, struct pto_diags *diags)
{
    zip_source_t *source;
    zip_error_t error;
    bool done = false;

    zip_error_init(&error);
    source = zip_source_buffer_create(NULL, 0, 0, &error);
    if (source) {
        zip_source_keep(source); /* its bytes are wanted after the archive has gone */
        done = pack(source, member, count, &error) && take_bytes(source, out);
        zip_source_free(source);
    }
    if (!done)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", path,
                     zip_error_strerror(&error));
    zip_error_fini(&error);
    return done ? PTO_OK : PTO_ESYSTEM;
}

bool cli_npz_known(void)
{
    return true;
}
