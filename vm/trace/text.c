#include "trace/text.h"

#include <stdlib.h>
#include <string.h>

#include "bits.h"
#include "float_text.h"
#include "json_quote.h"
#include "place.h"

/* The program that the instruction stands in. */
static const struct pto_core_code *program_of(const struct pto_module *module,
                                              const struct pto_insn *insn,
                                              const struct pto_kernel **kernel)
{
    for (uint32_t k = 0; k < module->kernels; k++)
        for (unsigned kind = 0; kind < PTO_CORE_KINDS; kind++) {
            const struct pto_core_code *core = &module->kernel[k].core[kind];

            *kernel = &module->kernel[k];
            if (core->present && insn >= core->code.insn &&
                insn < core->code.insn + core->code.insns)
                return core;
        }
    return NULL;
}

/* The text with its escapes, piece by piece, so that holes stay where they are. */
static void escape(struct trace_insn *text, struct pto_buf *plain, struct pto_arena *arena)
{
    struct pto_buf all = {0};
    uint32_t from = 0;

    for (unsigned i = 0; i <= text->holes; i++) {
        uint32_t to = i < text->holes ? text->hole[i].at : (uint32_t)plain->size;
        char *piece = pto_arena_strndup(arena, (const char *)plain->data + from, to - from);
        struct pto_buf quoted = {0};

        pto_json_quote(&quoted, piece);
        pto_buf_append(&all, quoted.data + 1, quoted.size - 2);
        pto_buf_free(&quoted);
        if (i < text->holes)
            text->hole[i].at = (uint32_t)all.size;
        from = to;
    }
    text->text = (uint8_t *)pto_arena_strndup(arena, pto_buf_text(&all), all.size);
    text->size = all.size;
    pto_buf_free(&all);
}

/* Does it write a register that it reads?  Once it has, nobody knows what it read. */
static bool overwrites(const struct pto_insn *insn, const struct pto_hole *hole, unsigned holes)
{
    const struct pto_op_info *info = pto_op_info(insn->op);

    for (unsigned i = 0; i < insn->operands && i < info->operands; i++)
        for (unsigned h = 0; h < holes; h++)
            if (insn->operand[i].kind == PTO_O_SCALAR && info->operand[i].access & PTO_WRITE &&
                insn->operand[i].scalar.reg == hole[h].value)
                return true;
    return false;
}

static struct trace_insn *make(struct trace_texts *texts, const struct pto_module *module,
                               const struct pto_insn *insn)
{
    struct trace_insn *text = pto_arena_alloc(&texts->arena, sizeof *text);
    const struct pto_pos *pos = pto_place(module, insn->pos);
    struct pto_hole hole[PTO_MAX_HOLES];
    const struct pto_kernel *kernel = NULL;
    const struct pto_core_code *core = program_of(module, insn, &kernel);
    struct pto_buf plain = {0};

    text->insn = insn;
    text->mnemonic = pto_op_info(insn->op)->mnemonic;
    if (core)
        text->holes = pto_disassemble_holes(module, kernel, core, insn, hole, &plain);
    if (overwrites(insn, hole, text->holes)) {
        plain.size = 0;
        text->holes = 0;
        pto_disassemble_insn(module, kernel, core, &core->code, insn, &plain);
    }
    text->hole = pto_arena_array(&texts->arena, text->holes + 1, sizeof *hole);
    memcpy(text->hole, hole, text->holes * sizeof *hole);
    escape(text, &plain, &texts->arena);
    plain.size = 0;
    if (pos) {
        const char *line = pto_arena_printf(&texts->arena, "%s:%u", module->file[pos->file],
                                            pos->line);

        pto_json_quote(&plain, line);
        text->place = pto_arena_strdup(&texts->arena, pto_buf_text(&plain));
    }
    pto_buf_free(&plain);
    return text;
}

const struct trace_insn *trace_text_of(struct trace_texts *texts, const struct pto_module *module,
                                       const struct pto_insn *insn)
{
    uint32_t *number;

    if (!insn || !module)
        return NULL;
    number = trace_map_at(&texts->numbers, (uintptr_t)insn);
    if (!*number) {
        PTO_GROW(texts->item, texts->count, texts->capacity);
        texts->item[texts->count++] = make(texts, module, insn);
        *number = texts->count;
    }
    return texts->item[*number - 1];
}

void trace_text_values(const struct trace_insn *insn, const uint64_t *registers, uint64_t *value)
{
    for (unsigned i = 0; i < insn->holes; i++)
        value[i] = registers[insn->hole[i].value];
}

static void put_integer(struct pto_buf *out, int64_t value)
{
    char text[24], *first = text + sizeof text;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

    do {
        *--first = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (value < 0)
        *--first = '-';
    pto_buf_append(out, first, (size_t)(text + sizeof text - first));
}

void trace_text_put(const struct trace_insn *insn, const uint64_t *value, struct pto_buf *out)
{
    uint32_t from = 0;

    for (unsigned i = 0; i < insn->holes; i++) {
        const struct pto_hole *hole = &insn->hole[i];

        pto_buf_append(out, insn->text + from, hole->at - from);
        from = hole->at;
        if (value && hole->is_float)
            pto_write_float(out, pto_f64_from_bits(value[i]));
        else if (value)
            put_integer(out, (int64_t)value[i]);
    }
    pto_buf_append(out, insn->text + from, insn->size - from);
}

void trace_texts_free(struct trace_texts *texts)
{
    free(texts->item);
    trace_map_free(&texts->numbers);
    pto_arena_free(&texts->arena);
}
