/* Names, numbers and types as C++ writes them. */
#include <inttypes.h>
#include <math.h>

#include "cpp/write.h"
#include "float_text.h"

void cpp_name(struct cpp *c, const char *name, const char *suffix)
{
    for (; *name; name++)
        if (*name == '.')
            CPP_PUT(c, "_of_");
        else
            pto_buf_byte(c->out, (uint8_t)*name);
    CPP_PUT(c, "%s", suffix);
}

void cpp_register(struct cpp *c, unsigned reg)
{
    cpp_name(c, c->code->reg[reg].name, reg < c->kernel->params || c->core ? "_" : "_launch");
}

static void put_float(struct cpp *c, double value)
{
    if (isnan(value))
        CPP_PUT(c, "__builtin_nan(\"\")");
    else if (isinf(value))
        CPP_PUT(c, "%s__builtin_inf()", value < 0 ? "-" : "");
    else
        pto_write_float(c->out, value);
}

static void put_built_in(struct cpp *c, uint32_t pos, unsigned which)
{
    switch (which) {
    case PTO_SYS_RANK:
    case PTO_SYS_NRANKS:
        CPP_PUT(c, "%s", which == PTO_SYS_RANK ? "PTO_RANK" : "PTO_RANKS");
        c->needs |= CPP_RANKS;
        break;
    case PTO_SYS_BLOCK_ID:
        CPP_PUT(c, "(int64_t)get_block_idx()");
        break;
    case PTO_SYS_BLOCK_NUM:
        CPP_PUT(c, "(int64_t)get_block_num()");
        break;
    case PTO_SYS_SUB_ID:
        CPP_PUT(c, "(int64_t)get_subblockid()");
        break;
    case PTO_SYS_SUB_NUM:
        CPP_PUT(c, "(int64_t)get_subblockdim()");
        break;
    case PTO_SYS_VEC_ID:
        CPP_PUT(c, "(int64_t)(get_block_idx() * get_subblockdim() + get_subblockid())");
        break;
    case PTO_SYS_VEC_COUNT:
        CPP_PUT(c, "(int64_t)(get_block_num() * get_subblockdim())");
        break;
    default:
        cpp_refuse(c, pos, "'%s()' has no counterpart in C++", pto_sys_name(which));
    }
}

void cpp_scalar(struct cpp *c, uint32_t pos, const struct pto_scalar *scalar)
{
    switch (scalar->kind) {
    case PTO_S_REG:
        cpp_register(c, scalar->reg);
        break;
    case PTO_S_INT:
        if (scalar->i == INT64_MIN)
            CPP_PUT(c, "INT64_MIN");
        else if (scalar->i < 0)
            CPP_PUT(c, "(%" PRId64 ")", scalar->i);
        else
            CPP_PUT(c, "%" PRId64, scalar->i);
        break;
    case PTO_S_FLOAT:
        put_float(c, scalar->f);
        break;
    case PTO_S_SYS:
        put_built_in(c, pos, scalar->reg);
        break;
    default:
        CPP_PUT(c, "0");
    }
}

const char *cpp_comparison(unsigned comparison)
{
    static const char *const name[] = {
        [PTO_CMP_EQ] = "EQ", [PTO_CMP_NE] = "NE", [PTO_CMP_LT] = "LT",
        [PTO_CMP_LE] = "LE", [PTO_CMP_GT] = "GT", [PTO_CMP_GE] = "GE"};

    return name[comparison];
}

const char *cpp_type(uint8_t dtype)
{
    static const char *const type[PTO_DTYPE_COUNT] = {
        [PTO_F32] = "float",       [PTO_F16] = "half",      [PTO_BF16] = "bfloat16_t",
        [PTO_F8E4M3] = "float8_e4m3_t", [PTO_F8E5M2] = "float8_e5m2_t",
        [PTO_I8] = "int8_t",       [PTO_U8] = "uint8_t",    [PTO_I16] = "int16_t",
        [PTO_U16] = "uint16_t",    [PTO_I32] = "int32_t",   [PTO_U32] = "uint32_t",
        [PTO_I64] = "int64_t",     [PTO_U64] = "uint64_t",
        [PTO_E8M0] = "float8_e8m0_t", [PTO_F4E2M1X2] = "float4_e2m1x2_t",
        [PTO_F4E1M2X2] = "float4_e1m2x2_t", [PTO_S4X2] = "int4b_t"};

    return type[dtype];
}

void cpp_tile_type(struct cpp *c, const struct pto_tile *tile, const char *pad)
{
    static const char *const place[PTO_SPACE_COUNT] = {
        [PTO_UB] = "Vec",  [PTO_L1] = "Mat",  [PTO_L0A] = "Left",   [PTO_L0B] = "Right",
        [PTO_L0C] = "Acc", [PTO_BT] = "Bias", [PTO_FB] = "Scaling", [PTO_L0A_MX] = "ScaleLeft",
        [PTO_L0B_MX] = "ScaleRight"};
    static const char *const blocks[] = {
        [PTO_ND] = "RowMajor", [PTO_DN] = "ColMajor", [PTO_NZ] = "ColMajor",
        [PTO_ZZ] = "RowMajor", [PTO_ZN] = "RowMajor"};
    static const char *const box[] = {
        [PTO_ND] = "NoneBox",  [PTO_DN] = "NoneBox",  [PTO_NZ] = "RowMajor",
        [PTO_ZZ] = "RowMajor", [PTO_ZN] = "ColMajor"};

    /* The lines of a window are those of the tile that it views; it is their valid part. */
    bool by_cols = pto_layouts[tile->layout].columns_first;
    uint32_t rows = tile->pitch && by_cols ? tile->pitch : tile->rows;
    uint32_t cols = tile->pitch && !by_cols ? tile->pitch : tile->cols;

    CPP_PUT(c, "Tile<TileType::%s, %s, %u, %u, BLayout::%s, -1, -1, SLayout::%s, %d",
            place[tile->space], cpp_type(tile->dtype), rows, cols,
            blocks[tile->layout], box[tile->layout], tile->space == PTO_L0C ? 1024 : 512);
    if (pad)
        CPP_PUT(c, ", PadValue::%s", pad);
    CPP_PUT(c, ">");
}
