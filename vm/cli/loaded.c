#include "cli/loaded.h"

#include <stdlib.h>

const struct pto_kernel *cli_kernel_of(const struct cli_kernel *kernel)
{
    return &kernel->file->program.module.kernel[kernel->kernel];
}

void cli_launch_keep(struct cli_launch *launch, void *block)
{
    PTO_GROW(launch->block, launch->blocks, launch->block_capacity);
    launch->block[launch->blocks++] = block;
}

void cli_launch_free(struct cli_launch *launch)
{
    pto_critical_free(launch->critical); /* while there is its machine */
    pto_vm_free(launch->vm);
    cli_regions_free(launch->regions);
    for (unsigned i = 0; i < launch->files; i++) {
        struct cli_file *file = &launch->file[i];

        if (file->verified)
            pto_program_free(&file->program);
        else
            pto_module_free(&file->module);
        pto_buf_free(&file->text);
        pto_buf_free(&file->includes);
    }
    free(launch->unwaited);
    for (unsigned i = 0; i < launch->blocks; i++)
        free(launch->block[i]);
    free(launch->block);
    free(launch->given.delay);
    free(launch->given.slow);
    pto_arena_free(&launch->arena);
}
