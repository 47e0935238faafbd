/* .npz archives through libzip. */
#include "data/npz.h"

#include <string.h>

#include "data/host.h"
#include "data/libzip.h"

enum { PIECE = 1 << 20, NAMES_SHOWN = 20 };

static const uint64_t MOST = (uint64_t)64 << 30; /* as for any file of data */
static const char SUFFIX[] = ".npy";
static const char MADE_BY[] = "numpy.savez(name, a=array) writes one";

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

static void list_members(const struct libzip *z, zip_t *archive, struct pto_buf *out)
{
    zip_int64_t count = z->get_num_entries(archive, 0);

    for (zip_int64_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        const char *name = z->get_name(archive, (zip_uint64_t)i, 0);

        if (name)
            pto_buf_printf(out, "%s%.*s", i ? ", " : "", (int)stem(name), name);
    }
    if (count > NAMES_SHOWN)
        pto_buf_printf(out, " and %lld more", (long long)count - NAMES_SHOWN);
}

static zip_int64_t find_member(const struct libzip *z, zip_t *archive, const char *name)
{
    zip_int64_t count = z->get_num_entries(archive, 0);

    for (zip_int64_t i = 0; i < count; i++) {
        const char *have = z->get_name(archive, (zip_uint64_t)i, 0);

        if (have && strlen(name) == stem(have) && !strncmp(have, name, stem(have)))
            return i;
    }
    return -1;
}

/* An archive in memory: where no reason is given, there was no room for one. */
static bool may_lack_memory(const struct libzip *z, const zip_error_t *error)
{
    int code = z->error_code_zip(error);

    return code == ZIP_ER_MEMORY || code == ZIP_ER_OK;
}

/* What an archive that was opened complains of. */
static enum pto_status complain_of(const struct libzip *z, zip_error_t *error, const char *what,
                                   struct pto_diags *diags)
{
    if (z->error_code_zip(error) == ZIP_ER_MEMORY)
        pto_out_of_memory(PIECE);
    return complain(what, z->error_strerror(error), NULL, diags);
}

/* The number of the member that is wanted, or -1 after a complaint. */
static zip_int64_t choose(const struct libzip *z, zip_t *archive,
                          const struct cli_npz_choice *choice, struct pto_diags *diags)
{
    zip_int64_t found = find_member(z, archive, choice->member ? choice->member : choice->name);
    struct pto_buf names = {0};
    struct pto_diag *diag;

    if (found < 0 && !choice->member && z->get_num_entries(archive, 0) == 1)
        found = 0;
    if (found >= 0)
        return found;
    list_members(z, archive, &names);
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
static enum pto_status unpack(const struct libzip *z, zip_file_t *file, const char *label,
                              uint64_t size, struct pto_buf *out, struct pto_diags *diags)
{
    for (;;) {
        zip_int64_t got = z->fread(file, pto_buf_room(out, PIECE), PIECE);

        if (got < 0)
            return complain_of(z, z->file_get_error(file), label, diags);
        out->size += (size_t)got;
        if (got == 0 && out->size == size)
            return PTO_OK;
        if (got == 0 || out->size > size)
            return complain(label, "it is not as large as the archive says", NULL, diags);
    }
}

static enum pto_status read_member(const struct libzip *z, zip_t *archive,
                                   const struct cli_npz_choice *choice, struct pto_arena *arena,
                                   struct pto_buf *npy, const char **label,
                                   struct pto_diags *diags)
{
    zip_int64_t index = choose(z, archive, choice, diags);
    enum pto_status status;
    zip_stat_t info;
    const char *name;
    zip_file_t *file;

    if (index < 0)
        return PTO_ECONFIG;
    name = z->get_name(archive, (zip_uint64_t)index, 0);
    z->stat_init(&info);
    if (z->stat_index(archive, (zip_uint64_t)index, 0, &info) != 0)
        return complain_of(z, z->get_error(archive), choice->path, diags);
    *label = pto_arena_printf(arena, "%s:%.*s", choice->path, (int)stem(name), name);
    if (info.size > most_bytes())
        return complain(*label, "unpacked, it would take more memory than there is", NULL, diags);
    file = z->fopen_index(archive, (zip_uint64_t)index, 0);
    if (!file)
        return complain_of(z, z->get_error(archive), *label, diags);
    status = unpack(z, file, *label, info.size, npy, diags);
    z->fclose(file);
    return status;
}

static enum pto_status read_archive(const struct libzip *z, const uint8_t *bytes, size_t size,
                                    const struct cli_npz_choice *choice, struct pto_arena *arena,
                                    struct pto_buf *npy, const char **label,
                                    struct pto_diags *diags)
{
    zip_source_t *source;
    enum pto_status status;
    zip_error_t error;
    zip_t *archive;

    z->error_init(&error);
    source = z->source_buffer_create(bytes, size, 0, &error);
    archive = source ? z->open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (archive) {
        status = read_member(z, archive, choice, arena, npy, label, diags);
        z->discard(archive);
    } else {
        if (may_lack_memory(z, &error))
            pto_out_of_memory(size);
        status = complain(choice->path, z->error_strerror(&error), MADE_BY, diags);
        z->source_free(source);
    }
    z->error_fini(&error);
    return status;
}

enum pto_status cli_npz_read(const uint8_t *bytes, size_t size, const struct cli_npz_choice *choice,
                             struct pto_arena *arena, struct pto_buf *npy, const char **label,
                             struct pto_diags *diags)
{
    enum pto_status status;
    struct libzip z;

    *label = choice->path;
    if (size == 0)
        return complain(choice->path, "it is empty", MADE_BY, diags);
    if (!cli_libzip_open(&z))
        return cli_npz_none(choice->path, "reads",
                            "install libzip4, or unpack it: its members are .npy files", diags);
    status = read_archive(&z, bytes, size, choice, arena, npy, label, diags);
    cli_libzip_close(&z);
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Nothing of the host's clock: the first day that a zip file knows. */
static bool add_member(const struct libzip *z, zip_t *archive, const struct cli_npz_member *member)
{
    enum { FIRST_OF_JANUARY_1980 = 1 << 5 | 1 };
    zip_source_t *source = z->source_buffer(archive, member->npy.data, member->npy.size, 0);
    struct pto_buf name = {0};
    zip_int64_t index;

    pto_buf_printf(&name, "%s%s", member->name, SUFFIX);
    index = source ? z->file_add(archive, pto_buf_text(&name), source, ZIP_FL_ENC_UTF_8) : -1;
    pto_buf_free(&name);
    if (index < 0) {
        z->source_free(source);
        return false;
    }
    return z->set_file_compression(archive, (zip_uint64_t)index, ZIP_CM_STORE, 0) == 0 &&
           z->file_set_dostime(archive, (zip_uint64_t)index, 0, FIRST_OF_JANUARY_1980, 0) == 0;
}

/* The archive's bytes out of the source that libzip has written them to. */
static bool take_bytes(const struct libzip *z, zip_source_t *source, struct pto_buf *out)
{
    zip_int64_t got = -1;

    if (z->source_open(source) != 0)
        return false;
    while ((got = z->source_read(source, pto_buf_room(out, PIECE), PIECE)) > 0)
        out->size += (size_t)got;
    z->source_close(source);
    return got == 0;
}

/* Takes one reference of the source. */
static bool pack(const struct libzip *z, zip_source_t *source, const struct cli_npz_member *member,
                 unsigned count, zip_error_t *error)
{
    zip_t *archive = z->open_from_source(source, ZIP_TRUNCATE, error);
    bool done = archive != NULL;

    if (!archive) {
        z->source_free(source);
        return false;
    }
    for (unsigned i = 0; i < count && done; i++)
        done = add_member(z, archive, &member[i]);
    if (done && z->close(archive) == 0)
        return true;
    z->error_set(error, z->error_code_zip(z->get_error(archive)),
                  z->error_code_system(z->get_error(archive)));
    z->discard(archive);
    return false;
}

static bool write_archive(const struct libzip *z, const struct cli_npz_member *member,
                          unsigned count, const char *path, struct pto_buf *out,
                          struct pto_diags *diags)
{
    zip_source_t *source;
    zip_error_t error;
    bool done = false;

    z->error_init(&error);
    source = z->source_buffer_create(NULL, 0, 0, &error);
    if (source) {
        z->source_keep(source); /* its bytes are wanted after the archive has gone */
        done = pack(z, source, member, count, &error) && take_bytes(z, source, out);
        z->source_free(source);
    }
    if (!done && may_lack_memory(z, &error))
        pto_out_of_memory(out->size);
    if (!done)
        pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "cannot write '%s': %s", path,
                     z->error_strerror(&error));
    z->error_fini(&error);
    return done;
}

enum pto_status cli_npz_write(const struct cli_npz_member *member, unsigned count,
                              const char *path, struct pto_buf *out, struct pto_diags *diags)
{
    struct libzip z;
    bool done;

    if (!cli_libzip_open(&z))
        return cli_npz_none(path, "writes",
                            "install libzip4, or write --out NAME=FILE.npy for each array", diags);
    done = write_archive(&z, member, count, path, out, diags);
    cli_libzip_close(&z);
    return done ? PTO_OK : PTO_ESYSTEM;
}
