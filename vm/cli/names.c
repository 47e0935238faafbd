#include "cli/names.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 20 }; /* in a message */

/* Names of all objects or parameters of the kernels, for suggestions and lists. */
struct name_list {
    const char **name;
    unsigned count, capacity;
};

static void add_name(struct name_list *list, const char *name)
{
    for (unsigned i = 0; i < list->count; i++)
        if (!strcmp(list->name[i], name))
            return;
    PTO_GROW(list->name, list->count, list->capacity);
    list->name[list->count++] = name;
}

static void complain_name(const char *option, const char *what, const char *name,
                          struct name_list *known, struct pto_diags *diags)
{
    struct pto_buf list = {0};
    struct pto_diag *diag = pto_diag_add(diags, PTO_ERROR, NULL, 0, 0, "--%s %s: no %s '%s'",
                                         option, name, what, name);
    const char *best = pto_nearest(name, known->name, known->count);

    for (unsigned i = 0; i < known->count && i < MOST_NAMES; i++)
        pto_buf_printf(&list, "%s%s", i > 0 ? ", " : "", known->name[i]);
    if (known->count > MOST_NAMES)
        pto_buf_printf(&list, " and %u more; ptovm info lists all", known->count - MOST_NAMES);
    if (best)
        pto_diag_hint(diags, diag, "did you mean '%s'?", best);
    else if (known->count > 0)
        pto_diag_hint(diags, diag, "declared: %s", pto_buf_text(&list));
    else
        pto_diag_hint(diags, diag, "the kernel declares none");
    pto_buf_free(&list);
    free(known->name);
}

const struct pto_object *cli_find_object(const struct cli_launch *launch, const char *option,
                                         const char *name, struct pto_diags *diags)
{
    struct name_list known = {0};

    for (unsigned k = 0; k < launch->kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&launch->kernel[k]);

        for (uint32_t i = 0; i < kernel->objects; i++) {
            if (kernel->object[i].kind == PTO_OBJ_VIEW)
                continue; /* only the objects below have bytes of their own */
            if (!strcmp(kernel->object[i].name, name)) {
                free(known.name);
                return &kernel->object[i];
            }
            add_name(&known, kernel->object[i].name);
        }
    }
    complain_name(option, "object", name, &known, diags);
    return NULL;
}

const struct pto_param *cli_find_param(const struct cli_launch *launch, const char *option,
                                       const char *name, struct pto_diags *diags)
{
    struct name_list known = {0};

    for (unsigned k = 0; k < launch->kernels; k++) {
        const struct pto_kernel *kernel = cli_kernel_of(&launch->kernel[k]);

        for (uint32_t i = 0; i < kernel->params; i++) {
            if (!strcmp(kernel->param[i].name, name)) {
                free(known.name);
                return &kernel->param[i];
            }
            add_name(&known, kernel->param[i].name);
        }
    }
    complain_name(option, "parameter", name, &known, diags);
    return NULL;
}
