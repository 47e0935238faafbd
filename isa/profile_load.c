#include "profile_load.h"

#include <ctype.h>
#include <string.h>

#include "file.h"
#include "profile_built_in.h"
#include "profile_file.h"

/* A profile file's name up to the first dot names the profile. */
static bool name_from_path(const char *path, struct pto_profile *profile)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t length = strcspn(base, ".");

    if (length == 0 || length >= sizeof profile->name)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)base[i]) && base[i] != '_' && base[i] != '-')
            return false;
    memcpy(profile->name, base, length);
    return true;
}

static enum pto_status load_file(const char *path, struct pto_profile *profile,
                                 struct pto_diags *diags)
{
    struct pto_buf text = {0};
    const char *why;
    enum pto_status status = pto_file_read(path, PTO_FILE_SETTINGS, &text, &why);

    if (status != PTO_OK) {
        pto_diag_add(diags, PTO_ERROR, path, 0, 0, "cannot read the profile: %s", why);
    } else if (!name_from_path(path, profile)) {
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, path, 0, 0,
                                   "the file's name does not make a name of a profile"),
                      "up to the first dot: 1 to 31 letters, digits, '_' or '-'");
        status = PTO_ECONFIG;
    } else if (profile_built_in(profile->name)) { /* an object keeps the name only */
        pto_diag_hint(diags,
                      pto_diag_add(diags, PTO_ERROR, path, 0, 0,
                                   "a file cannot have the name of a built-in profile, '%s'",
                                   profile->name),
                      "objects keep the name only: give the file another one, or leave out its "
                      "path");
        status = PTO_ECONFIG;
    } else if (text.size && memchr(text.data, 0, text.size)) {
        pto_diag_add(diags, PTO_ERROR, path, 0, 0, "the profile is not a text file");
        status = PTO_ECONFIG;
    } else {
        status = profile_file_read(path, pto_buf_text(&text), profile, diags);
    }
    pto_buf_free(&text);
    return status;
}

static enum pto_status load_built_in(const char *name, const char *text,
                                     struct pto_profile *profile, struct pto_diags *diags)
{
    *profile = (struct pto_profile){0};
    strncpy(profile->name, name, sizeof profile->name - 1);
    return profile_file_read(name, text, profile, diags);
}

enum pto_status pto_profile_load(const char *name, struct pto_profile *profile,
                                 struct pto_diags *diags)
{
    const char *text = profile_built_in(name);
    const char *const *names = pto_profile_names();
    const char *nearest;
    struct pto_diag *diag;
    unsigned count = 0;

    if (text)
        return load_built_in(name, text, profile, diags);
    *profile = (struct pto_profile){0};
    if (strpbrk(name, "/."))
        return load_file(name, profile, diags);
    diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "unknown profile '%s'", name);
    while (names[count])
        count++;
    nearest = pto_nearest(name, names, count);
    pto_diag_hint(diags, diag, "%s%s%sthe built-in ones are%s; a file is named by its path",
                  nearest ? "did you mean " : "", nearest ? nearest : "", nearest ? "? " : "",
                  profile_built_in_list(&diags->arena));
    return PTO_ECONFIG;
}

/* A file may hold comments and empty lines; where one key is asked for they mean a mistake. */
static enum pto_status check_change(const char *line, const char *where, struct pto_diags *diags)
{
    if (!strpbrk(line, "\r\n#") && line[strspn(line, " \t")])
        return PTO_OK;
    pto_diag_hint(diags, pto_diag_add(diags, PTO_ERROR, where, 0, 0, "'%s' is not one key", line),
                  "write KEY=VALUE, one key in one line, without a comment");
    return PTO_ECONFIG;
}

enum pto_status pto_profile_change(const char *const *lines, unsigned count, const char *where,
                                   struct pto_profile *profile, struct pto_diags *diags)
{
    struct pto_buf text = {0};
    enum pto_status status;

    for (unsigned i = 0; i < count; i++)
        PTO_TRY(check_change(lines[i], where, diags));
    for (unsigned i = 0; i < count; i++)
        pto_buf_printf(&text, "%s\n", lines[i]);
    status = count ? profile_file_change(where, pto_buf_text(&text), profile, diags) : PTO_OK;
    pto_buf_free(&text);
    return status;
}

enum pto_status pto_profile_load_of(const char *object, const char *name, const char *remedy,
                                    struct pto_profile *profile, struct pto_diags *diags)
{
    const char *text = profile_built_in(name);

    if (text)
        return load_built_in(name, text, profile, diags);
    *profile = (struct pto_profile){0};
    pto_diag_hint(diags,
                  pto_diag_add(diags, PTO_ERROR, object, 0, 0,
                               "it was assembled for the profile '%s', which is not built in",
                               name),
                  "the built-in ones are%s%s%s", profile_built_in_list(&diags->arena),
                  remedy ? "; " : "", remedy ? remedy : "");
    return PTO_ECONFIG;
}
