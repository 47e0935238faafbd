/* Run kernels from text or from kernels/ inside a test, without the command line. */
#ifndef ENGINE_SUPPORT_H
#define ENGINE_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembler.h"
#include "object.h"
#include "profile_load.h"
#include "vm.h"

struct engine_run {
    struct pto_profile profile;
    struct pto_program program;
    struct pto_vm *vm;
    struct pto_diags diags;
};

static inline void engine_give_up(struct engine_run *run, const char *where)
{
    fprintf(stderr, "%s\n", where);
    pto_diags_print(&run->diags, stderr, false);
    abort();
}

/* Assemble and verify: `text` NULL reads the file of this name under the source folder. */
static inline void engine_load(struct engine_run *run, const char *name, const char *text)
{
    struct pto_asm_options options = {0};
    struct pto_module module = {0};
    char path[4096];
    enum pto_status status;

    memset(run, 0, sizeof *run);
    if (pto_profile_load("a2", &run->profile, &run->diags) != PTO_OK)
        engine_give_up(run, "profile");
    options.profile = &run->profile;
    snprintf(path, sizeof path, "%s/%s", getenv("PTO_SOURCE_DIR"), name);
    status = text ? pto_assemble_text(name, text, strlen(text), &options, &module, &run->diags)
                  : pto_assemble_file(path, &options, &module, &run->diags);
    if (status != PTO_OK ||
        pto_verify(&module, &run->profile, &run->program, &run->diags) != PTO_OK)
        engine_give_up(run, name);
}

/* A machine with one launch of the first kernel, not yet prepared. */
static inline void engine_create(struct engine_run *run, const struct pto_vm_options *options)
{
    if (pto_vm_create(options, &run->profile, &run->diags, &run->vm) != PTO_OK ||
        pto_vm_launch(run->vm, &run->program, 0, &run->diags) != PTO_OK)
        engine_give_up(run, "create");
}

static inline void engine_prepare(struct engine_run *run)
{
    if (pto_vm_prepare(run->vm, &run->diags) != PTO_OK)
        engine_give_up(run, "prepare");
}

static inline void engine_free(struct engine_run *run)
{
    pto_vm_free(run->vm);
    pto_program_free(&run->program);
    pto_diags_free(&run->diags);
}

#endif
