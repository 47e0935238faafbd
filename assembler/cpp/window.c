/* Windows of global memory, here and on other ranks. */
#include "cpp/write.h"

/* A number that the launch computes. */
static void put_of_setup(struct cpp *c, uint32_t pos, const struct pto_scalar *number)
{
    const struct pto_code *code = c->code;
    const struct pto_core_code *core = c->core;

    c->code = &c->kernel->setup;
    c->core = NULL;
    cpp_scalar(c, pos, number);
    c->code = code;
    c->core = core;
}

void cpp_stride(struct cpp *c, const struct pto_object *object, unsigned dim)
{
    if (object->strided) {
        put_of_setup(c, object->pos, &object->stride[dim]);
        return;
    }
    if (dim + 1 == object->dims)
        CPP_PUT(c, "1");
    for (unsigned i = dim + 1; i < object->dims; i++) {
        CPP_PUT(c, "%s", i > dim + 1 ? " * " : "");
        put_of_setup(c, object->pos, &object->dim[i]);
    }
}

/* Pointer to the start of a window. */
static void put_start(struct cpp *c, uint32_t pos, const struct pto_gm_ref *ref)
{
    const struct pto_object *object = &c->kernel->object[ref->object];

    if (ref->rank.kind == PTO_S_NONE) {
        cpp_name(c, object->name, "_gm");
    } else {
        CPP_PUT(c, "PTO_AT(");
        cpp_name(c, object->name, "_gm, ");
        cpp_scalar(c, pos, &ref->rank);
        CPP_PUT(c, ")");
        c->needs |= CPP_RANKS;
    }
    for (unsigned i = 0; i < ref->indices; i++) {
        if (ref->index[i].kind == PTO_S_INT && ref->index[i].i == 0)
            continue;
        CPP_PUT(c, " + ");
        cpp_scalar(c, pos, &ref->index[i]);
        if (i + 1 < object->dims || object->strided) {
            CPP_PUT(c, " * (");
            cpp_stride(c, object, i);
            CPP_PUT(c, ")");
        }
    }
}

void cpp_element(struct cpp *c, uint32_t pos, const struct pto_operand *operand)
{
    if (operand->kind == PTO_O_LOCAL) {
        cpp_name(c, c->core->local[operand->local.local].name, "_local[");
        cpp_scalar(c, pos, &operand->local.index);
        CPP_PUT(c, "]");
        return;
    }
    if (operand->gm.rank.kind != PTO_S_NONE)
        cpp_refuse(c, pos, "an element of another rank has no counterpart in C++");
    CPP_PUT(c, "*(");
    put_start(c, pos, &operand->gm);
    CPP_PUT(c, ")");
}

static void put_shape(struct cpp *c, uint32_t pos, const struct pto_object *object,
                      const struct pto_scalar side[2])
{
    if (side) {
        cpp_scalar(c, pos, &side[0]);
        CPP_PUT(c, ", ");
        cpp_scalar(c, pos, &side[1]);
        return;
    }
    if (object->dims > 1)
        put_of_setup(c, object->pos, &object->dim[object->dims - 2]);
    else
        CPP_PUT(c, "1");
    CPP_PUT(c, ", ");
    put_of_setup(c, object->pos, &object->dim[object->dims - 1]);
}

static bool is_one(const struct pto_scalar *number)
{
    return number->kind == PTO_S_INT && number->i == 1;
}

enum cpp_lines cpp_lines(const struct pto_object *object)
{
    const struct pto_scalar *stride = object->stride;
    unsigned last = object->dims - 1u;

    if (!object->strided || is_one(&stride[last]))
        return CPP_ACROSS;
    if (!last)
        return CPP_APART;
    if (is_one(&stride[last - 1]))
        return CPP_DOWN;
    return stride[last].kind == PTO_S_INT && stride[last - 1].kind == PTO_S_INT ? CPP_APART
                                                                                : CPP_LATER;
}

void cpp_declare_window(struct cpp *c, const struct pto_insn *insn, unsigned operand,
                        const struct pto_scalar side[2])
{
    const struct pto_object *object = &c->kernel->object[insn->operand[operand].gm.object];
    unsigned last = object->dims - 1u;
    enum cpp_lines lines = cpp_lines(object);
    bool down = lines == CPP_LATER ? c->down : lines == CPP_DOWN;

    if (lines == CPP_APART)
        cpp_refuse(c, insn->pos, "a window of '%s', whose elements lie apart both ways, has no "
                   "counterpart in C++", object->name);
    cpp_line(c);
    CPP_PUT(c, "GlobalTensor<%s, any_shape, any_stride, Layout::%s> t%u(",
            cpp_type(object->dtype), down ? "DN" : "ND", operand);
    put_start(c, insn->pos, &insn->operand[operand].gm);
    CPP_PUT(c, ", any_shape(1, 1, 1, ");
    put_shape(c, insn->pos, object, side);
    CPP_PUT(c, "), any_stride(1, 1, 1, ");
    if (last)
        cpp_stride(c, object, last - 1);
    else
        CPP_PUT(c, "1");
    CPP_PUT(c, ", ");
    cpp_stride(c, object, last);
    CPP_PUT(c, "));\n");
}
