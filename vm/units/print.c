#include "print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "machine/fault.h"
#include "machine/memory.h"
#include "machine/resolve.h"

static void put_line(const struct core *core, struct pto_buf *line)
{
    struct rank *rank = core->rank;
    char *copy = pto_xmalloc(line->size + 1);

    memcpy(copy, pto_buf_text(line), line->size + 1);
    PTO_GROW(rank->printed, rank->printed_lines, rank->printed_capacity);
    rank->printed[rank->printed_lines++] = (struct printed){
        .text = copy, .core = core->name, .time = core->time};
    line->size = 0;
    rank->vm->printed = true;
}

/* A line, and whose it is. */
struct told {
    const struct printed *line;
    int rank;
};

static int in_order(const void *a, const void *b)
{
    const struct told *x = a, *y = b;

    if (x->line->time != y->line->time)
        return x->line->time < y->line->time ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

/* The lines of all ranks in order, for the caller to free. */
static struct told *all_lines(struct pto_vm *vm, size_t *count)
{
    struct told *told;
    size_t lines = 0;

    for (int r = 0; r < vm->ranks; r++)
        lines += vm->rank[r].printed_lines;
    told = pto_xcalloc(lines, sizeof *told);
    *count = 0;
    for (int r = 0; r < vm->ranks; r++)
        for (unsigned i = 0; i < vm->rank[r].printed_lines; i++)
            told[(*count)++] = (struct told){&vm->rank[r].printed[i], r};
    qsort(told, lines, sizeof *told, in_order);
    return told;
}

void print_flush(struct pto_vm *vm, uint64_t until)
{
    const struct pto_vm_options *options = &vm->options;
    struct told *told;
    size_t count;

    if (!vm->printed)
        return;
    vm->printed = false;
    told = all_lines(vm, &count);
    for (size_t i = 0; i < count; i++) {
        const struct printed *line = told[i].line;

        if (line->time <= until)
            options->print(options->print_context, told[i].rank, line->core, line->time,
                           line->text);
        free(line->text);
    }
    free(told);
    for (int r = 0; r < vm->ranks; r++)
        vm->rank[r].printed_lines = 0;
}

void print_free(struct rank *rank)
{
    for (unsigned i = 0; i < rank->printed_lines; i++)
        free(rank->printed[i].text);
    free(rank->printed);
}

void print_values(struct core *core, const struct ready_op *op)
{
    struct pto_buf line = {0};

    if (!core->rank->vm->options.print)
        return;
    pto_buf_printf(&line, "%s", op->operand[0].text);
    for (unsigned i = 1; i < op->operands; i++) {
        uint64_t bits = core->reg[op->operand[i].reg];

        if (op->operand[i].is_float)
            pto_buf_printf(&line, " %.17g", pto_f64_from_bits(bits));
        else
            pto_buf_printf(&line, " %lld", (long long)bits);
    }
    put_line(core, &line);
    pto_buf_free(&line);
}

static void put_element(struct pto_buf *line, const uint8_t *at, uint8_t dtype)
{
    double value = pto_load_f64(at, dtype);

    if (pto_dtype_is_float(dtype))
        pto_buf_printf(line, " %.9g", isnan(value) ? (double)NAN : value);
    else if (pto_dtype_is_signed(dtype))
        pto_buf_printf(line, " %lld", (long long)pto_load_int(at, dtype));
    else
        pto_buf_printf(line, " %llu", (unsigned long long)pto_load_int(at, dtype));
}

/* A heading and a line for every row; `tile` tells where elements lie, NULL: by the strides. */
static void put_view(struct core *core, const char *name, const struct op_view *view,
                     const struct pto_tile *tile)
{
    struct pto_buf line = {0};

    pto_buf_printf(&line, "%s: %s {%u, %u}", name, pto_dtype_name(view->dtype), view->rows,
                   view->cols);
    put_line(core, &line);
    for (uint32_t r = 0; r < view->rows; r++) {
        pto_buf_printf(&line, " ");
        for (uint32_t c = 0; c < view->cols; c++) {
            const uint8_t *at =
                tile ? view->data + pto_tile_offset(tile, r, c) * pto_dtype_size(view->dtype)
                     : view->data + r * view->row_stride + c * view->col_stride;

            put_element(&line, at, view->dtype);
        }
        put_line(core, &line);
    }
    pto_buf_free(&line);
}

bool print_tile(struct core *core, const struct ready_op *op)
{
    const struct ready_operand *operand = &op->operand[0];
    uint64_t word[2];
    struct op_view view;

    if (!resolve_tile(core, operand, (struct extent){NOT_GIVEN, NOT_GIVEN}, word))
        return false;
    memory_tile_view(core, operand, word, &view);
    if (core->rank->vm->options.print)
        put_view(core, operand->tile->name, &view, operand->tile);
    return true;
}

bool print_window(struct core *core, const struct ready_op *op)
{
    const struct ready_operand *operand = &op->operand[0];
    const char *name = core->ready->kernel->object[operand->object].name;
    uint64_t word[GM_WORDS];
    struct op_view view;

    if (!resolve_signal(core, operand, word))
        return false;
    if (gm_rank(word) != core->rank->number)
        return FAULT_HERE(core, "let that rank print it",
                          "TPRINT shows local memory, not '%s' on rank %d", name, gm_rank(word));
    memory_gm_view(core, word, &view);
    if (core->rank->vm->options.print)
        put_view(core, name, &view, NULL);
    return true;
}
