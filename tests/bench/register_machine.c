/* The loop of scalar_a.pto on a register machine as plain as one in C can be - no checks, no time,
 * no sub-cores -, to see what those take:
 *   register_machine [N] */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum operation { MOVE, ADD, SUB, MUL, LESS, GREATER, ADD_CONSTANT, JUMP, JUMP_UNLESS, STOP };

struct insn {
    enum operation operation;
    int to, a, b;
    int64_t constant; /* also where a jump leads */
};

enum { S, K, I, N, T, MILLION, SEVEN, THREE, REGISTERS };

static const struct insn LOOP[] = {
    {LESS, T, I, N, 0},         {JUMP_UNLESS, 0, T, 0, 14},  {MUL, T, I, K, 0},
    {ADD, S, S, T, 0},          {GREATER, T, S, MILLION, 0}, {JUMP_UNLESS, 0, T, 0, 8},
    {MUL, T, MILLION, K, 0},    {SUB, S, S, T, 0},           {ADD_CONSTANT, K, K, 0, 1},
    {GREATER, T, K, SEVEN, 0},  {JUMP_UNLESS, 0, T, 0, 12},  {MOVE, K, THREE, 0, 0},
    {ADD_CONSTANT, I, I, 0, 1}, {JUMP, 0, 0, 0, 0},          {STOP, 0, 0, 0, 0},
};

static int64_t run(const struct insn *code, int64_t *x)
{
    for (const struct insn *at = code;; at++)
        switch (at->operation) {
        case MOVE: x[at->to] = x[at->a]; break;
        case ADD: x[at->to] = x[at->a] + x[at->b]; break;
        case SUB: x[at->to] = x[at->a] - x[at->b]; break;
        case MUL: x[at->to] = x[at->a] * x[at->b]; break;
        case LESS: x[at->to] = x[at->a] < x[at->b]; break;
        case GREATER: x[at->to] = x[at->a] > x[at->b]; break;
        case ADD_CONSTANT: x[at->to] = x[at->a] + at->constant; break;
        case JUMP: at = code + at->constant - 1; break;
        case JUMP_UNLESS: at = x[at->a] ? at : code + at->constant - 1; break;
        case STOP: return x[S];
        }
}

int main(int argc, char **argv)
{
    int64_t x[REGISTERS] = {[K] = 3, [MILLION] = 1000000, [SEVEN] = 7, [THREE] = 3};

    x[N] = argc > 1 ? atoll(argv[1]) : 1000000;
    printf("%lld\n", (long long)run(LOOP, x));
    return 0;
}
