/* A stand-in for the public PTO tile intrinsics, for tests: declarations as their documents give
 * them (pto-isa, docs/isa), and a host that carries out what the tests run, one sub-core of a rank
 * after another, each instruction at once; ranks are threads.  Flags are looked at: one bit, set
 * before it is waited for. */
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#define __global__
#define AICORE
#define __gm__

/* f16: numbers that tests use, no infinities; nearest even. */
struct half {
    uint16_t bits = 0;

    half() = default;
    half(double value)
    {
        int exponent;
        double mantissa = std::frexp(std::fabs(value), &exponent);
        int shift = exponent < -13 ? 24 : 11 - exponent;
        long steps = std::lrint(std::ldexp(std::fabs(value), shift));

        if (mantissa != 0 && exponent >= -13)
            steps += (long)(exponent + 13) << 10;
        bits = (uint16_t)(steps | (std::signbit(value) ? 0x8000 : 0));
    }
    operator float() const
    {
        int exponent = bits >> 10 & 31, fraction = bits & 1023;
        float value = exponent ? std::ldexp(1024.0f + fraction, exponent - 25)
                               : std::ldexp((float)fraction, -24);

        return bits & 0x8000 ? -value : value;
    }
};

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };
enum event_t { EVENT_ID0 };
enum { DSB_DDR, ENTIRE_DATA_CACHE };

static thread_local int64_t block_idx, block_num = 1, sub_id, sub_num = 1;
static int64_t get_block_idx() { return block_idx; }
static int64_t get_block_num() { return block_num; }
static int64_t get_subblockid() { return sub_id; }
static int64_t get_subblockdim() { return sub_num; }

static thread_local std::map<std::tuple<int, int, int>, bool> flags;

static void host_check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}
static void trap() { host_check(false, "a trap"); }
static void set_flag(pipe_t from, pipe_t to, event_t id)
{
    bool &flag = flags[{from, to, id}];

    host_check(!flag, "a flag is set twice");
    flag = true;
}
static void wait_flag(pipe_t from, pipe_t to, event_t id)
{
    bool &flag = flags[{from, to, id}];

    host_check(flag, "a flag is waited for that nobody set");
    flag = false;
}
static void pipe_barrier(pipe_t) {}
static void dsb(int) {}
static void dcci(void *, int) {}
/* Cross-core flags of a block: the cube's reach each vector sub-core, it waits for all of theirs. */
static thread_local bool is_cube;
static thread_local std::map<int64_t, int64_t> counts;

static void ffts_cross_core_sync(pipe_t, int64_t config)
{
    counts[config >> 8] += is_cube ? sub_num : 1;
}
static void wait_flag_dev(int64_t id)
{
    counts[id] -= is_cube ? sub_num : 1;
    host_check(counts[id] >= 0, "a cross-core flag is waited for that nobody set");
}

namespace pto {
enum class TileType { Vec, Mat, Left, Right, Acc, Bias, Scaling };
enum class BLayout { RowMajor, ColMajor };
enum class SLayout { NoneBox, RowMajor, ColMajor };
enum class PadValue { Null, Zero, Max, Min };
enum class Layout { ND, DN };
enum class CmpMode { EQ, NE, LT, LE, GT, GE };
enum class RoundMode { CAST_NONE, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC, CAST_ODD };
enum class SaturationMode { ON, OFF };
enum class AtomicType { AtomicNone, AtomicAdd };

static thread_local std::vector<uint8_t> memory[7];

template <TileType Loc_, typename T, int Rows_, int Cols_, BLayout B = BLayout::RowMajor,
          int RowValid = Rows_, int ColValid = Cols_, SLayout S = SLayout::NoneBox, int Fractal = 512,
          PadValue Pad = PadValue::Null>
struct Tile {
    using DType = T;
    static constexpr int Rows = Rows_, Cols = Cols_;
    int64_t rows, cols;
    uint64_t address = 0;

    Tile(int64_t r, int64_t c) : rows(r), cols(c)
    {
        host_check(r >= 0 && c >= 0 && r <= Rows_ && c <= Cols_, "a valid region leaves its tile");
    }
    T &at(int64_t r, int64_t c)
    {
        constexpr int64_t c0 = Fractal == 1024 ? 16 : 32 / (int64_t)sizeof(T);
        constexpr int64_t br = S == SLayout::ColMajor ? c0 : 16;
        constexpr int64_t bc = S == SLayout::ColMajor ? 16 : c0;
        std::vector<uint8_t> &bytes = memory[(int)Loc_];
        int64_t place;

        if (S == SLayout::NoneBox) {
            place = B == BLayout::RowMajor ? r * Cols_ + c : c * Rows_ + r;
        } else {
            int64_t across = (Cols_ + bc - 1) / bc, down = (Rows_ + br - 1) / br;
            int64_t box = B == BLayout::RowMajor ? r / br * across + c / bc : c / bc * down + r / br;

            place = box * br * bc + (S == SLayout::RowMajor ? r % br * bc + c % bc
                                                            : c % bc * br + r % br);
        }
        if (bytes.size() < address + (place + 1) * sizeof(T))
            bytes.resize(address + (place + 1) * sizeof(T));
        return *(T *)(bytes.data() + address + place * sizeof(T));
    }
    T get(int64_t r, int64_t c) { return at(r, c); }
    T GetValue(uint32_t offset) { return value_at(offset); }
    void SetValue(uint32_t offset, T value) { value_at(offset) = value; }
    T &value_at(uint32_t offset)
    {
        host_check(offset < (uint32_t)(Rows_ * Cols_), "an element of another tile");
        at(Rows_ - 1, Cols_ - 1);
        return ((T *)(memory[(int)Loc_].data() + address))[offset];
    }
};
template <typename T> static void TASSIGN(T &tile, uint64_t address) { tile.address = address; }

template <int64_t... N> struct Shape {
    int64_t n[5];
    Shape(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e) : n{a, b, c, d, e} {}
};
template <int64_t... N> struct Stride : Shape<N...> {
    using Shape<N...>::Shape;
};
template <typename T, typename S, typename D, Layout L> struct GlobalTensor {
    T *data;
    S shape;
    D stride;

    GlobalTensor(T *p, S s, D d) : data(p), shape(s), stride(d)
    {
        host_check(d.n[L == Layout::ND ? 4 : 3] == 1, "a window lies otherwise than its layout");
    }
    T &at(int64_t r, int64_t c) { return data[r * stride.n[3] + c * stride.n[4]]; }
};

template <typename D, typename F> static void host_each(D &d, F f)
{
    for (int64_t r = 0; r < d.rows; r++)
        for (int64_t c = 0; c < d.cols; c++)
            f(r, c);
}
#define HOST_EACH(d, ...) host_each(d, [&](int64_t r, int64_t c) { __VA_ARGS__; })

template <typename T, typename G> static void TLOAD(T &t, G &g)
{
    host_check(g.shape.n[3] == t.rows && g.shape.n[4] == t.cols, "shapes of TLOAD differ");
    HOST_EACH(t, t.at(r, c) = g.at(r, c));
}
template <typename T, typename G, AtomicType A = AtomicType::AtomicNone>
static void TSTORE(G &g, T &t)
{
    using E = std::remove_reference_t<decltype(g.at(0, 0))>;

    HOST_EACH(t, g.at(r, c) = A == AtomicType::AtomicAdd ? E(g.at(r, c) + E(t.at(r, c)))
                                                         : E(t.at(r, c)));
}
template <typename D, typename S> static void TMOV(D &d, S &s)
{
    HOST_EACH(d, d.at(r, c) = typename D::DType(s.at(r, c)));
}
enum class ReluPreMode { NoRelu, NormalRelu };
enum class AccToVecMode { SingleModeVec0, SingleModeVec1, DualModeSplitM, DualModeSplitN };
template <typename D, typename S, ReluPreMode> static void TMOV(D &d, S &s)
{
    HOST_EACH(d, d.at(r, c) = typename D::DType(std::max(s.at(r, c), typename S::DType(0))));
}
template <typename D, typename S, AccToVecMode, ReluPreMode relu = ReluPreMode::NoRelu>
static void TMOV(D &d, S &s)
{
    relu == ReluPreMode::NoRelu ? TMOV(d, s) : TMOV<D, S, ReluPreMode::NormalRelu>(d, s);
}
template <typename D, typename S> static void TEXTRACT(D &d, S &s, int64_t row, int64_t col)
{
    HOST_EACH(d, d.at(r, c) = typename D::DType(s.at(row + r, col + c)));
}
template <typename D, typename S> static void TINSERT(D &d, S &s, int64_t row, int64_t col)
{
    HOST_EACH(s, d.at(row + r, col + c) = typename D::DType(s.at(r, c)));
}
template <typename C, typename A, typename B> static void TMATMUL_ACC(C &c, C &, A &a, B &b)
{
    host_each(c, [&](int64_t m, int64_t n) {
        for (int64_t k = 0; k < a.cols; k++)
            c.at(m, n) += (typename C::DType)a.at(m, k) * (typename C::DType)b.at(k, n);
    });
}
template <typename C, typename A, typename B> static void TMATMUL(C &c, A &a, B &b)
{
    host_each(c, [&](int64_t m, int64_t n) { c.at(m, n) = 0; });
    TMATMUL_ACC(c, c, a, b);
}
template <typename C, typename A, typename B, typename R>
static void TMATMUL_BIAS(C &c, A &a, B &b, R &bias)
{
    TMATMUL(c, a, b);
    host_each(c, [&](int64_t m, int64_t n) { c.at(m, n) += bias.at(0, n); });
}

#define HOST_2(name, expression)                                                                   \
    template <typename D, typename A, typename B> static void name(D &d, A &a, B &b)               \
    {                                                                                              \
        HOST_EACH(d, auto x = a.get(r, c); auto y = b.get(r, c); d.at(r, c) = expression);         \
    }
HOST_2(TADD, x + y)
HOST_2(TSUB, x - y)
HOST_2(TMUL, x *y)
HOST_2(TDIV, x / y)
HOST_2(TMAX, x > y ? x : y)
HOST_2(TMIN, x < y ? x : y)
/* One of the two is a column, or a block of 32 bytes that repeats. */
#define HOST_ROW(name, expression)                                                                 \
    template <typename D, typename A, typename B> static void name(D &d, A &a, B &b)               \
    {                                                                                              \
        HOST_EACH(d, auto x = a.get(r, c % a.cols); auto y = b.get(r, c % b.cols);                 \
                  d.at(r, c) = expression);                                                        \
    }                                                                                              \
    template <typename D, typename A, typename B, typename T>                                      \
    static void name(D &d, A &a, B &b, T &)                                                        \
    {                                                                                              \
        name(d, a, b);                                                                             \
    }
HOST_ROW(TROWEXPANDADD, x + y)
HOST_ROW(TROWEXPANDSUB, x - y)
HOST_ROW(TROWEXPANDMUL, x *y)
HOST_ROW(TROWEXPANDDIV, x / y)
HOST_ROW(TROWEXPANDMAX, x > y ? x : y)
template <typename D, typename A, typename B> static void TCOLEXPANDMUL(D &d, A &a, B &b)
{
    HOST_EACH(d, d.at(r, c) = a.get(r, c) * b.get(0, c));
}
#define HOST_SCALAR(name, expression)                                                              \
    template <typename D, typename A> static void name(D &d, A &a, typename D::DType y)            \
    {                                                                                              \
        HOST_EACH(d, auto x = a.get(r, c); d.at(r, c) = expression);                               \
    }
HOST_SCALAR(TADDS, x + y)
HOST_SCALAR(TSUBS, x - y)
HOST_SCALAR(TMULS, x *y)
HOST_SCALAR(TDIVS, x / y)
HOST_SCALAR(TMAXS, x > y ? x : y)
HOST_SCALAR(TMINS, x < y ? x : y)
template <typename D, typename T, int descending> static void TCI(D &d, T start)
{
    HOST_EACH(d, d.at(r, c) = descending ? T(start - c) : T(start + c));
}
template <typename D, int upper> static void TTRI(D &d, int diagonal)
{
    HOST_EACH(d, d.at(r, c) = upper ? c >= r + diagonal : c <= r + diagonal);
}
template <typename D> static void TEXPANDS(D &d, typename D::DType y)
{
    HOST_EACH(d, d.at(r, c) = y);
}
#define HOST_1(name, expression)                                                                   \
    template <typename D, typename A> static void name(D &d, A &a)                                 \
    {                                                                                              \
        HOST_EACH(d, float x = a.get(r, c); d.at(r, c) = typename D::DType(expression));           \
    }
HOST_1(TEXP, std::exp(x))
HOST_1(TABS, std::fabs(x))
HOST_1(TRELU, x > 0 ? x : 0)
HOST_1(TSQRT, std::sqrt(x))
template <typename D, typename A> static void TCVT(D &d, A &a, RoundMode)
{
    HOST_EACH(d, d.at(r, c) = typename D::DType(a.get(r, c)));
}
#define HOST_REDUCE(name, expression)                                                              \
    template <typename D, typename A, typename T> static void name(D &d, A &a, T &)                \
    {                                                                                              \
        for (int64_t r = 0; r < a.rows; r++) {                                                     \
            auto x = a.get(r, 0);                                                                  \
            for (int64_t c = 1; c < a.cols; c++) {                                                 \
                auto y = a.get(r, c);                                                              \
                x = expression;                                                                    \
            }                                                                                      \
            d.at(r, 0) = x;                                                                        \
        }                                                                                          \
    }
HOST_REDUCE(TROWMAX, x > y ? x : y)
HOST_REDUCE(TROWSUM, x + y)

/* Declared alone: what is compiled and not run. */
template <typename D, typename A, typename B> void TCMP(D &, A &, B &, CmpMode);
template <typename D, typename A> void TCMPS(D &, A &, typename A::DType, CmpMode);
template <typename D, typename M, typename A, typename B, typename T>
void TSEL(D &, M &, A &, B &, T &);
template <typename D, typename A> void TCVT(D &, A &, RoundMode, SaturationMode);
template <typename D, typename A> void TFILLPAD(D &, A &);
template <typename D, typename A, typename T> void TTRANS(D &, A &, T &);
template <typename D, typename A> void TCOLMAX(D &, A &);
template <typename D, typename A> void TNEG(D &, A &);
template <typename D, typename A> void TAXPY(D &, A &, typename D::DType);
template <typename D, typename A, typename B> void TCOLEXPANDADD(D &, A &, B &);
template <typename D, typename A, typename I> void TSORT32(D &, A &, I &);
template <typename D, typename A> void TMRGSORT(D &, A &, uint32_t);
} /* namespace pto */
