#include "steady.h"

/* What is not listed runs at its time: instructions that look at indices, counts or divisors, and
 * those that refuse operands which share bytes. */
static bool listed(enum pto_op op, bool floats)
{
    switch (op) {
    case PTO_OP_TLOAD: case PTO_OP_TPREFETCH: case PTO_OP_TSTORE: case PTO_OP_TSTORE_SCALED:
    case PTO_OP_TSTORE_FP: case PTO_OP_TMOV: case PTO_OP_TMOV_SCALED: case PTO_OP_TMOV_FP:
    case PTO_OP_TEXTRACT: case PTO_OP_TEXTRACT_SCALED: case PTO_OP_TEXTRACT_FP:
    case PTO_OP_TINSERT: case PTO_OP_TINSERT_SCALED: case PTO_OP_TINSERT_FP:
    case PTO_OP_TMMAD: case PTO_OP_TMATMUL: case PTO_OP_TMATMUL_ACC: case PTO_OP_TMATMUL_BIAS:
    case PTO_OP_TGEMV: case PTO_OP_TGEMV_ACC: case PTO_OP_TGEMV_BIAS:
    case PTO_OP_TADD: case PTO_OP_TSUB: case PTO_OP_TMUL: case PTO_OP_TMAX: case PTO_OP_TMIN:
    case PTO_OP_TADDS: case PTO_OP_TSUBS: case PTO_OP_TMULS: case PTO_OP_TMAXS: case PTO_OP_TMINS:
    case PTO_OP_TAND: case PTO_OP_TOR: case PTO_OP_TXOR: case PTO_OP_TNOT: case PTO_OP_TEXPANDS:
    case PTO_OP_TLRELU: case PTO_OP_TAXPY: case PTO_OP_TFUSEDMULADD: case PTO_OP_TMULADDDST:
    case PTO_OP_TEXP: case PTO_OP_TLOG: case PTO_OP_TSQRT: case PTO_OP_TRSQRT: case PTO_OP_TABS:
    case PTO_OP_TNEG: case PTO_OP_TRELU: case PTO_OP_TCVT: case PTO_OP_TTRI: case PTO_OP_TTRANS:
    case PTO_OP_TROWMAX: case PTO_OP_TROWMIN: case PTO_OP_TROWSUM: case PTO_OP_TROWPROD:
    case PTO_OP_TCOLMAX: case PTO_OP_TCOLMIN: case PTO_OP_TCOLSUM: case PTO_OP_TCOLPROD:
    case PTO_OP_TROWEXPAND: case PTO_OP_TROWEXPANDADD: case PTO_OP_TROWEXPANDSUB:
    case PTO_OP_TROWEXPANDMUL: case PTO_OP_TROWEXPANDMAX: case PTO_OP_TROWEXPANDMIN:
    case PTO_OP_TROWEXPANDEXPDIF: case PTO_OP_TCOLEXPAND: case PTO_OP_TCOLEXPANDADD:
    case PTO_OP_TCOLEXPANDSUB: case PTO_OP_TCOLEXPANDMUL: case PTO_OP_TCOLEXPANDMAX:
    case PTO_OP_TCOLEXPANDMIN: case PTO_OP_TCOLEXPANDEXPDIF:
        return true;
    case PTO_OP_TDIV: case PTO_OP_TDIVS: case PTO_OP_TDIVS_REV: case PTO_OP_TRECIP:
    case PTO_OP_TROWEXPANDDIV: case PTO_OP_TCOLEXPANDDIV: /* integers are divided by no zero */
        return floats;
    default:
        return false;
    }
}

/* Could all sources be copied before the destination is written?  Where they could not, overlapping
 * operands fault (ops/apart.c). */
static bool can_set_aside(const struct ready_op *op)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < op->operands; i++)
        if (op->operand[i].kind == PTO_O_TILE)
            bytes += (pto_tile_bytes(op->operand[i].tile) + 63) / 64 * 64;
    return bytes <= OP_SCRATCH_BYTES;
}

bool steady(const struct ready_op *op)
{
    return listed(op->insn->op, pto_dtype_is_float(op->operand[0].view.dtype)) &&
           can_set_aside(op);
}
