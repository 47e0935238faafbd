/* Kernels as functions: what is declared, and the programs of both kinds of sub-core. */
#include "cpp/cpp.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "comm_context.h"
#include "cpp/write.h"

static const char PROLOGUE[] =
    "/* Include the public PTO tile intrinsics (pto/pto-inst.hpp) before this text. */\n"
    "#ifndef PTO_REAL\n"
    "#define PTO_REAL float /* numbers of the scalar unit; here they are f64 */\n"
    "#endif\n"
    "using namespace pto;\n"
    "using any_shape = Shape<-1, -1, -1, -1, -1>;\n"
    "using any_stride = Stride<-1, -1, -1, -1, -1>;\n";

static const char FETCH_ADD[] =
    "#ifndef PTO_FETCH_ADD\n"
    "#error \"define PTO_FETCH_ADD(pointer, number): adds in one step, gives what was there\"\n"
    "#endif\n";

static const char CLOCK[] =
    "#ifndef PTO_CLOCK\n"
    "#error \"define PTO_CLOCK(): the time in picoseconds\"\n"
    "#endif\n";

/* A NaN of the scalar unit has one form. */
static const char F32_BITS[] =
    "#ifndef PTO_F32_BITS\n"
    "#define PTO_F32_BITS\n"
    "union pto_f32 {\n"
    "    float number;\n"
    "    uint32_t bits;\n"
    "};\n"
    "static AICORE inline int64_t pto_f32_bits(PTO_REAL real)\n"
    "{\n"
    "    union pto_f32 f32;\n"
    "    f32.number = (float)real;\n"
    "    return real == real ? f32.bits : 0x7fc00000;\n"
    "}\n"
    "static AICORE inline PTO_REAL pto_bits_f32(int64_t bits)\n"
    "{\n"
    "    union pto_f32 f32;\n"
    "    f32.bits = (uint32_t)bits;\n"
    "    return (PTO_REAL)f32.number;\n"
    "}\n"
    "#endif\n";

void cpp_refuse(struct cpp *c, uint32_t pos, const char *format, ...)
{
    const struct pto_pos *place = pos < c->module->positions ? &c->module->pos[pos] : NULL;
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    c->errors++;
    if (place && place->file < c->module->files)
        pto_diag_add(c->diags, PTO_ERROR, c->module->file[place->file], place->line,
                     place->column, "%s", text);
    else
        pto_diag_add(c->diags, PTO_ERROR, NULL, 0, 0, "%s", text);
}

void cpp_line(struct cpp *c)
{
    CPP_PUT(c, "%*s", (int)(4 * c->depth), "");
}

void cpp_open(struct cpp *c)
{
    cpp_line(c);
    CPP_PUT(c, "{\n");
    c->depth++;
}

void cpp_close(struct cpp *c)
{
    c->depth--;
    cpp_line(c);
    CPP_PUT(c, "}\n");
}

/* Where ranks and their memory are, unless the user says otherwise. */
static void write_ranks(struct cpp *c)
{
    CPP_PUT(c, "/* pto_context: CommContext of PyPTO's runtime. Symmetric objects and signals lie "
            "at one place of all\n * ranks' windows. Define these for another context; include "
            "pto/comm/pto_comm_inst.hpp, too. */\n"
            "#ifndef PTO_RANK\n"
            "#define PTO_RANK ((int64_t)(uint32_t)pto_context[%d])\n"
            "#define PTO_RANKS ((int64_t)((uint64_t)pto_context[%d] >> %d))\n"
            "#define PTO_WINDOW(rank) ((uint64_t)pto_context[%d + (rank)])\n"
            "#endif\n"
            "#define PTO_AT(pointer, rank) ((decltype(pointer))((uint64_t)(pointer) - "
            "PTO_WINDOW(PTO_RANK) + PTO_WINDOW(rank)))\n",
            COMM_RANK, COMM_RANK, COMM_RANK_BITS, COMM_WINDOWS);
}

static void write_prologue(struct cpp *c, unsigned needs)
{
    CPP_PUT(c, "%s", PROLOGUE);
    if (needs & CPP_RANKS)
        write_ranks(c);
    if (needs & CPP_FETCH_ADD)
        CPP_PUT(c, "%s", FETCH_ADD);
    if (needs & CPP_CLOCK)
        CPP_PUT(c, "%s", CLOCK);
    if (needs & CPP_F32_BITS)
        CPP_PUT(c, "%s", F32_BITS);
}

/* ---- what is declared ---- */

static void put_arguments(struct cpp *c)
{
    const struct pto_kernel *kernel = c->kernel;
    const char *separator = "";

    for (uint32_t i = 0; i < kernel->params; i++, separator = ", ") {
        CPP_PUT(c, "%s%s ", separator, kernel->param[i].is_float ? "PTO_REAL" : "int64_t");
        cpp_name(c, kernel->param[i].name, "_");
    }
    for (uint32_t i = 0; i < kernel->objects; i++) {
        if (kernel->object[i].kind == PTO_OBJ_VIEW)
            continue;
        CPP_PUT(c, "%s__gm__ %s *", separator, cpp_type(kernel->object[i].dtype));
        cpp_name(c, kernel->object[i].name, "_gm");
        separator = ", ";
    }
    if (c->needs & CPP_RANKS)
        CPP_PUT(c, "%s__gm__ int64_t *pto_context", separator);
}

static void declare_registers(struct cpp *c)
{
    for (uint32_t i = c->kernel->params; i < c->code->regs; i++) {
        cpp_line(c);
        CPP_PUT(c, "%s ", c->code->reg[i].is_float ? "PTO_REAL" : "int64_t");
        cpp_register(c, i);
        CPP_PUT(c, " = 0;\n");
    }
}

static void declare_views(struct cpp *c)
{
    for (uint32_t i = 0; i < c->kernel->objects; i++) {
        const struct pto_object *view = &c->kernel->object[i];

        if (view->kind != PTO_OBJ_VIEW)
            continue;
        cpp_line(c);
        CPP_PUT(c, "__gm__ %s *", cpp_type(view->dtype));
        cpp_name(c, view->name, "_gm");
        CPP_PUT(c, " = (__gm__ %s *)", cpp_type(view->dtype));
        cpp_name(c, c->kernel->object[view->base].name, "_gm + ");
        cpp_scalar(c, view->pos, &view->offset);
        CPP_PUT(c, ";\n");
    }
}

/* What the launch computes: sizes of objects and where views lie. */
static void write_setup(struct cpp *c)
{
    c->core = NULL;
    c->code = &c->kernel->setup;
    declare_registers(c);
    for (uint32_t i = 0; i < c->code->insns; i++)
        if (pto_op_info(c->code->insn[i].op)->class != PTO_FLOW ||
            c->code->insn[i].op == PTO_OP_ASSERT)
            cpp_insn(c, &c->code->insn[i]);
    declare_views(c);
}

static void declare_tiles(struct cpp *c)
{
    for (uint32_t i = 0; i < c->core->tiles; i++) {
        cpp_line(c);
        CPP_PUT(c, "using ");
        cpp_name(c, c->core->tile[i].name, "_tile = ");
        cpp_tile_type(c, &c->core->tile[i], NULL);
        CPP_PUT(c, ";\n");
    }
    for (uint32_t i = 0; i < c->core->locals; i++) {
        cpp_line(c);
        CPP_PUT(c, "%s ", c->core->local[i].is_float ? "PTO_REAL" : "int64_t");
        cpp_name(c, c->core->local[i].name, "_local");
        CPP_PUT(c, "[%u] = {};\n", c->core->local[i].count);
    }
}

/* Room for scratch tiles lies behind the last tile of UB. */
static void place_scratch(struct cpp *c)
{
    uint32_t bytes = cpp_scratch_bytes(c->core), unit = c->profile->alignment[PTO_UB];
    uint64_t end = 0;

    for (uint32_t i = 0; i < c->core->tiles; i++) {
        const struct pto_tile *tile = &c->core->tile[i];
        uint64_t last = tile->address + (uint64_t)(tile->slots - 1) * tile->slot_stride +
                        pto_tile_bytes(tile);

        if (tile->space == PTO_UB && last > end)
            end = last;
    }
    end = (end + unit - 1) / unit * unit;
    c->scratch = (uint32_t)end;
    if (bytes && end + bytes > c->profile->capacity[PTO_UB])
        cpp_refuse(c, c->kernel->pos, "'%s' has no room in ub for the %u bytes of scratch that "
                   "upstream's instructions want: name tiles of yours as tmp", c->kernel->name,
                   bytes);
}

static bool has_transfers(const struct pto_code *code)
{
    for (uint32_t i = 0; i < code->insns; i++)
        if (code->insn[i].op == PTO_OP_TPUT || code->insn[i].op == PTO_OP_TGET)
            return true;
    return false;
}

static void write_core(struct cpp *c, unsigned kind)
{
    c->kind = kind;
    c->core = &c->kernel->core[kind];
    c->code = &c->core->code;
    if (!c->core->present)
        return;
    c->transfers = has_transfers(c->code);
    CPP_PUT(c, "#ifdef %s\n", kind == PTO_AIC ? "__DAV_CUBE__" : "__DAV_VEC__");
    place_scratch(c);
    cpp_open(c);
    declare_tiles(c);
    declare_registers(c);
    cpp_flow(c);
    cpp_close(c);
    CPP_PUT(c, "#endif\n");
}

/* A kernel keeps its name, which callers use; what it declares has suffixes. */
static void write_name(struct cpp *c)
{
    static const char *const reserved[] = {
#define WORD(word) #word,
#include "cpp/reserved.def"
#undef WORD
    };

    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(reserved[i], c->kernel->name))
            cpp_refuse(c, c->kernel->pos, "C++ keeps the name '%s' for itself", c->kernel->name);
    cpp_name(c, c->kernel->name, "(");
}

/* What a kernel needs is known behind its text, which comes after the head. */
static unsigned write_kernel(struct cpp *c, struct pto_buf *out)
{
    struct pto_buf body = {0};

    c->out = &body;
    c->needs = 0;
    c->depth = 1;
    write_setup(c);
    write_core(c, PTO_AIC);
    write_core(c, PTO_AIV);
    c->depth = 0;
    c->out = out;
    CPP_PUT(c, "\nextern \"C\" __global__ AICORE void ");
    write_name(c);
    put_arguments(c);
    CPP_PUT(c, ")\n{\n");
    pto_buf_append(out, body.data, body.size);
    CPP_PUT(c, "}\n");
    pto_buf_free(&body);
    return c->needs;
}

bool cpp_write(const struct pto_module *module, const struct pto_profile *profile,
               struct pto_buf *out, struct pto_diags *diags)
{
    struct cpp c = {.module = module, .profile = profile, .diags = diags};
    struct pto_buf kernels = {0};
    unsigned needs = 0;

    for (uint32_t i = 0; i < module->kernels; i++) {
        c.kernel = &module->kernel[i];
        needs |= write_kernel(&c, &kernels);
    }
    c.out = out;
    write_prologue(&c, needs);
    pto_buf_append(out, kernels.data, kernels.size);
    pto_buf_free(&kernels);
    return !c.errors;
}
