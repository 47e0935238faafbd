/* The table of instructions as JSON. */
#include "list.h"

static const char *const class_names[] = {
    [PTO_SCALAR] = "scalar", [PTO_FLOW] = "flow", [PTO_ACCESS] = "access",
    [PTO_SYNC] = "sync",     [PTO_TILE] = "tile", [PTO_MACRO] = "macro",
    [PTO_ASYNC] = "async",   [PTO_PSEUDO] = "pseudo",
};

static const char *const kind_names[] = {
    [PTO_K_NONE] = "none",
    [PTO_K_INT] = "int",
    [PTO_K_FLOAT] = "float",
    [PTO_K_NUM] = "number",
    [PTO_K_INT_REG] = "int register",
    [PTO_K_FLOAT_REG] = "float register",
    [PTO_K_ANY_REG] = "register",
    [PTO_K_TILE] = "tile",
    [PTO_K_GM] = "gm",
    [PTO_K_MEM] = "memory",
    [PTO_K_ENUM] = "keyword",
    [PTO_K_LABEL] = "label",
    [PTO_K_STRING] = "string",
    [PTO_K_REST] = "rest",
    [PTO_K_RING] = "ring",
};

#define COST(id, name, unit, meaning) [PTO_COST_##id] = name,
#define COST_LIKE(id, name, unit, like, meaning) [PTO_COST_##id] = name,
static const char *const cost_names[] = {
#include "cost.def"
};
#undef COST
#undef COST_LIKE

/* The table's texts are printable ASCII. */
static void append_text(struct pto_buf *out, const char *key, const char *text)
{
    pto_buf_printf(out, "\"%s\": \"", key);
    for (const char *c = text; *c; c++)
        pto_buf_printf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    pto_buf_printf(out, "\", ");
}

static void append_spaces(struct pto_buf *out, unsigned spaces)
{
    const char *separator = "";

    pto_buf_printf(out, "\"spaces\": [");
    for (unsigned space = 0; space < PTO_SPACE_COUNT; space++) {
        if (!(spaces >> space & 1))
            continue;
        pto_buf_printf(out, "%s\"%s\"", separator, pto_space_name(space));
        separator = ", ";
    }
    pto_buf_printf(out, "], ");
}

static void append_keywords(struct pto_buf *out, enum pto_enum set)
{
    enum { HIGHEST = 64 };
    const char *separator = "";

    pto_buf_printf(out, "\"keywords\": [");
    for (int value = 0; value < HIGHEST; value++) {
        const char *keyword = pto_enum_keyword(set, value);

        if (keyword)
            pto_buf_printf(out, "%s\"%s\"", separator, keyword);
        separator = keyword ? ", " : separator;
    }
    pto_buf_printf(out, "], ");
}

static void append_operand(struct pto_buf *out, const struct pto_operand_spec *spec)
{
    pto_buf_printf(out, "\n      {");
    append_text(out, "name", spec->name);
    append_text(out, "kind", kind_names[spec->kind]);
    if (spec->kind == PTO_K_TILE)
        append_spaces(out, spec->spaces);
    if (spec->kind == PTO_K_ENUM) {
        append_keywords(out, spec->set);
        if (spec->access & PTO_OPTIONAL)
            append_text(out, "preset", pto_enum_keyword(spec->set, spec->preset));
    }
    pto_buf_printf(out, "\"read\": %s, \"write\": %s, \"optional\": %s, \"scratch\": %s, "
                        "\"arrow\": %s}",
                   spec->access & PTO_READ ? "true" : "false",
                   spec->access & PTO_WRITE ? "true" : "false",
                   spec->access & PTO_OPTIONAL ? "true" : "false",
                   spec->access & PTO_SCRATCH ? "true" : "false",
                   spec->access & PTO_ARROW ? "true" : "false");
}

static void append_row(struct pto_buf *out, const struct pto_op_info *info)
{
    pto_buf_printf(out, "  {");
    append_text(out, "mnemonic", info->mnemonic);
    if (info->number != PTO_NO_NUMBER)
        pto_buf_printf(out, "\"number\": %u, ", info->number);
    append_text(out, "class", class_names[info->class]);
    append_text(out, "pipe", ptoas_pipe_of(info));
    append_text(out, "cost", cost_names[info->cost]);
    append_text(out, "types", info->types);
    append_text(out, "types_a5", info->types_a5);
    append_text(out, "meaning", info->meaning);
    pto_buf_printf(out, "\"operands\": [");
    for (unsigned i = 0; i < info->operands; i++) {
        pto_buf_printf(out, "%s", i ? "," : "");
        append_operand(out, &info->operand[i]);
    }
    pto_buf_printf(out, "]}");
}

void ptoas_list_json(struct pto_buf *out)
{
    pto_buf_printf(out, "[\n");
    for (unsigned op = 0; op < PTO_ROW_COUNT; op++) {
        append_row(out, pto_op_info(op));
        pto_buf_printf(out, op + 1 < PTO_ROW_COUNT ? ",\n" : "\n");
    }
    pto_buf_printf(out, "]\n");
}
