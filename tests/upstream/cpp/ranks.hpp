/* A stand-in for the part of the tile intrinsics between ranks (pto-isa, docs/isa/comm): a rank
 * after another does what others may see. */
namespace pto {
namespace comm {
enum class NotifyOp { AtomicAdd, Set };
enum class WaitCmp { EQ, NE, GT, GE, LT, LE };

static std::mutex turn;

/* Source to destination by way of the tile; events 0 and 1 between MTE2 and MTE3 have to be free. */
template <AtomicType A, typename D, typename S, typename T>
static void host_move(D &to, S &from, T &tile)
{
    using E = typename T::DType;

    host_check(to.shape.n[3] == from.shape.n[3] && to.shape.n[4] == from.shape.n[4],
               "the windows of a transfer differ");
    host_check(tile.rows > 0 && tile.cols > 0, "a staging tile is empty");
    for (int event = 0; event < 2; event++)
        host_check(!flags[{PIPE_MTE2, PIPE_MTE3, event}] && !flags[{PIPE_MTE3, PIPE_MTE2, event}],
                   "an event of the transfer is in use");
    for (int64_t r = 0; r < from.shape.n[3]; r++)
        for (int64_t c = 0; c < from.shape.n[4]; c++) {
            E &stage = tile.at(r % tile.rows, c % tile.cols);

            stage = from.at(r, c);
            to.at(r, c) = A == AtomicType::AtomicAdd ? E(to.at(r, c) + stage) : stage;
        }
}
template <AtomicType A = AtomicType::AtomicNone, typename D, typename S, typename... T>
static void TPUT(D &to, S &from, T &...tile)
{
    std::lock_guard<std::mutex> lock(turn);

    static_assert(sizeof...(tile) == 1 || sizeof...(tile) == 2);
    (host_move<A>(to, from, tile), ...);
    if (sizeof...(tile) == 2)
        host_check(A == AtomicType::AtomicNone, "the stand-in adds once for each tile");
}
template <typename D, typename S, typename... T> static void TGET(D &to, S &from, T &...tile)
{
    TPUT<AtomicType::AtomicNone>(to, from, tile...);
}

template <typename G> static void TNOTIFY(G &signal, int32_t value, NotifyOp op)
{
    std::lock_guard<std::mutex> lock(turn);
    int32_t &word = signal.at(0, 0);

    host_check(signal.shape.n[3] == 1 && signal.shape.n[4] == 1, "TNOTIFY of several words");
    word = op == NotifyOp::Set ? value : word + value;
}
static bool host_holds(int32_t a, int32_t b, WaitCmp cmp)
{
    switch (cmp) {
    case WaitCmp::EQ: return a == b;
    case WaitCmp::NE: return a != b;
    case WaitCmp::GT: return a > b;
    case WaitCmp::GE: return a >= b;
    case WaitCmp::LT: return a < b;
    default: return a <= b;
    }
}
template <typename G> static bool TTEST(G &signal, int32_t value, WaitCmp cmp)
{
    std::lock_guard<std::mutex> lock(turn);

    for (int64_t r = 0; r < signal.shape.n[3]; r++)
        for (int64_t c = 0; c < signal.shape.n[4]; c++) {
            int32_t &word = signal.at(r, c);

            if (!host_holds(word, value, cmp))
                return false;
        }
    return true;
}
template <typename G> static void TWAIT(G &signal, int32_t value, WaitCmp cmp)
{
    while (!TTEST(signal, value, cmp))
        std::this_thread::yield();
}
} /* namespace comm */
} /* namespace pto */

/* What the kernels ask of their users. */
static int32_t host_fetch_add(int32_t *word, int32_t number)
{
    std::lock_guard<std::mutex> lock(pto::comm::turn);
    int32_t before = *word;

    *word = before + number;
    return before;
}
#define PTO_FETCH_ADD(pointer, number) host_fetch_add(pointer, number)
#define PTO_CLOCK() ((int64_t)0)

/* Ranks with a window each, a file PREFIX<rank> before and behind; kernel(window, context). */
template <typename K> static void host_ranks(int64_t ranks, const std::string &prefix, K kernel)
{
    std::vector<std::vector<uint8_t>> window;
    std::vector<std::vector<int64_t>> context;
    std::vector<std::thread> thread;

    for (int64_t r = 0; r < ranks; r++)
        window.push_back(host_read<uint8_t>((prefix + std::to_string(r)).c_str()));
    for (int64_t r = 0; r < ranks; r++) {
        context.push_back({0, 0, r | ranks << 32, 0});
        for (auto &each : window)
            context.back().push_back((int64_t)each.data());
    }
    for (int64_t r = 0; r < ranks; r++)
        thread.emplace_back([&, r] { kernel(window[r].data(), context[r].data()); });
    for (auto &each : thread)
        each.join();
    for (int64_t r = 0; r < ranks; r++)
        host_write((prefix + std::to_string(r)).c_str(), window[r]);
}
