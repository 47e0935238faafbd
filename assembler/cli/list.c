#include "list.h"

#include <string.h>

#include "ops.h"

const char *ptoas_pipe_of(const struct pto_op_info *info)
{
    if (info->class == PTO_MACRO)
        return "MTE2,MTE3";
    if (info->class == PTO_ASYNC)
        return pto_queue_name(PTO_DMA);
    if (info->class == PTO_SYNC)
        return "sync";
    switch (info->route) {
    case PTO_ON_V:
        return "V";
    case PTO_ON_M:
        return "M";
    case PTO_ON_MTE2:
        return "MTE2";
    case PTO_ON_PATH:
        return "by path";
    default:
        return "S";
    }
}

static void append_enum(struct pto_buf *out, enum pto_enum set)
{
    enum { HIGHEST = 64 };
    const char *separator = "";

    for (int value = 0; value < HIGHEST; value++) {
        const char *keyword = pto_enum_keyword(set, value);

        if (keyword)
            pto_buf_printf(out, "%s%s", separator, keyword);
        separator = keyword ? "|" : separator;
    }
}

static void append_spaces(struct pto_buf *out, unsigned spaces)
{
    const char *separator = ":";

    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++) {
        if (!(spaces >> space & 1))
            continue;
        pto_buf_printf(out, "%s%s", separator, pto_space_name(space));
        separator = "|";
    }
}

static void append_operand(struct pto_buf *out, const struct pto_operand_spec *spec)
{
    bool optional = spec->access & PTO_OPTIONAL;

    if (optional)
        pto_buf_printf(out, "[");
    if (spec->kind == PTO_K_ENUM)
        append_enum(out, spec->set);
    else
        pto_buf_printf(out, "%s", spec->name);
    if (spec->kind == PTO_K_TILE)
        append_spaces(out, spec->spaces);
    if (spec->kind == PTO_K_REST)
        pto_buf_printf(out, "...");
    if (optional)
        pto_buf_printf(out, "]");
}

void ptoas_list_op(struct pto_buf *out, const struct pto_op_info *info)
{
    pto_buf_printf(out, "%-14s %-10s ", info->mnemonic, ptoas_pipe_of(info));
    for (unsigned i = 0; i < info->operands; i++) {
        pto_buf_printf(out, "%s", !i ? "" : info->operand[i].access & PTO_ARROW ? " -> " : ", ");
        append_operand(out, &info->operand[i]);
    }
    pto_buf_printf(out, "\n%26s%s\n", "", info->meaning);
    if (*info->types)
        pto_buf_printf(out, "%26stypes: %s\n", "", info->types);
    if (*info->types_a5)
        pto_buf_printf(out, "%26slevel a5 also: %s\n", "", info->types_a5);
}

void ptoas_list_ops(struct pto_buf *out)
{
    pto_buf_printf(out, "%-14s %-10s %s\n", "MNEMONIC", "PIPE", "OPERANDS, MEANING, ELEMENT TYPES");
    for (unsigned op = 0; op < PTO_ROW_COUNT; op++)
        ptoas_list_op(out, pto_op_info(op));
}
