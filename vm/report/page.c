#include "report/page.h"

#include <string.h>

#include "cli/wires.h"
#include "look/graph.h"
#include "report_files.h"

/* What the page has no way to know: what the machine could do at best. */
static void machine_json(const struct cli_launch *launch, struct cli_json *json)
{
    enum { MACS_OF_F16_STEP = 16 * 16 * 16 };
    const struct pto_profile *p = &launch->profile;
    uint64_t step_ps = pto_profile_ps(p, p->cost[PTO_COST_CUBE].slope_millicycles);

    cli_json_open(json, "machine", '{');
    cli_json_uint(json, "cube_macs_per_us",
                  step_ps ? p->cores * (uint64_t)MACS_OF_F16_STEP * 1000000 / step_ps : 0);
    cli_json_uint(json, "gm_bytes_per_us", p->gm_bytes_per_us);
    cli_json_uint(json, "l2_bytes_per_us", p->l2_bytes ? p->l2_bytes_per_us : 0);
    cli_json_uint(json, "link_bytes_per_us", p->link_bytes_per_us);
    cli_json_close(json, '}');
}

static void tile_json(const struct cli_launch *launch, const char *core,
                      const struct pto_tile *tile, struct cli_json *json)
{
    enum { MOST_SLOTS = 64 };

    for (uint32_t slot = 0; slot < tile->slots && slot < MOST_SLOTS; slot++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "core", core);
        cli_json_text(json, "space", pto_space_name(tile->space));
        cli_json_uint(json, "capacity", launch->profile.capacity[tile->space]);
        cli_json_text(json, "name", tile->name);
        cli_json_int(json, "slot", tile->slots > 1 ? (int)slot : -1);
        cli_json_uint(json, "address", tile->address + (uint64_t)slot * tile->slot_stride);
        cli_json_uint(json, "bytes", pto_tile_bytes(tile));
        cli_json_close(json, '}');
    }
}

/* Where the tiles lie, each slot by itself, without views of others; of several kernels nothing: a
 * finding does not say whose tiles it is about. */
static void tiles_json(const struct cli_launch *launch, struct cli_json *json)
{
    const struct pto_kernel *kernel = launch->kernels == 1 ? cli_kernel_of(&launch->kernel[0])
                                                           : NULL;

    cli_json_open(json, "tiles", '[');
    for (unsigned kind = 0; kernel && kind < PTO_CORE_KINDS; kind++)
        for (uint32_t i = 0; i < kernel->core[kind].tiles; i++)
            if (kernel->core[kind].tile[i].parent == PTO_NONE)
                tile_json(launch, kind == PTO_AIC ? "aic" : "aiv", &kernel->core[kind].tile[i],
                          json);
    cli_json_close(json, ']');
}

static void change_json(const struct pto_change *change, struct cli_json *json)
{
    struct pto_buf name = {0}, text = {0};
    int rank[2];

    cli_change_of(change, &name);
    cli_change_text(change, &text);
    cli_change_ranks(change, rank);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", pto_buf_text(&name));
    cli_json_text(json, "text", pto_buf_text(&text));
    cli_json_uint(json, "from", change->when.from_ps);
    if (change->when.to_ps != UINT64_MAX)
        cli_json_uint(json, "to", change->when.to_ps);
    cli_json_open(json, "ranks", '[');
    for (unsigned i = 0; i < 2; i++)
        if (rank[i] >= 0)
            cli_json_int(json, NULL, rank[i]);
    cli_json_close(json, ']');
    cli_json_bool(json, "gone",
                  change->kind == PTO_CHANGE_DOWN || change->kind == PTO_CHANGE_DEAD_RANK);
    cli_json_close(json, '}');
    pto_buf_free(&text);
    pto_buf_free(&name);
}

/* What is so before the end; what comes or goes first, as a file may say of thousands of links what
 * they are like all the time. */
static void changes_json(const struct pto_vm *vm, struct cli_json *json)
{
    enum { MOST_CHANGES = 32 };
    struct pto_change change;
    unsigned many = 0;

    cli_json_open(json, "changes", '[');
    for (int timed = 1; timed >= 0; timed--)
        for (unsigned i = 0; pto_vm_change(vm, i, &change); i++)
            if (cli_change_is_timed(&change) == (bool)timed &&
                change.when.from_ps <= pto_vm_time(vm) && ++many <= MOST_CHANGES)
                change_json(&change, json);
    cli_json_close(json, ']');
    cli_json_uint(json, "changes_left_out", many > MOST_CHANGES ? many - MOST_CHANGES : 0);
}

/* Inside of a script element no "<" may stand; in JSON it can only be in a text, where it can be
 * written another way. */
static void put_safely(const struct pto_buf *json, struct pto_buf *out)
{
    size_t from = 0;

    for (size_t i = 0; i < json->size; i++) {
        if (json->data[i] != '<')
            continue;
        pto_buf_append(out, json->data + from, i - from);
        pto_buf_printf(out, "\\u003c");
        from = i + 1;
    }
    pto_buf_append(out, json->data + from, json->size - from);
}

static void put_data(const struct cli_launch *launch, struct cli_slices *slices,
                     const struct pto_buf *report, struct pto_buf *out)
{
    struct pto_buf text = {0}, graph = {0};
    struct cli_json json = {.out = &text};
    const struct pto_fault *fault = pto_vm_fault(launch->vm);

    cli_json_open(&json, NULL, '{');
    machine_json(launch, &json);
    tiles_json(launch, &json);
    changes_json(launch->vm, &json);
    cli_slices_json(slices, &json);
    if (fault && fault->status == PTO_EDEADLOCK) {
        pto_vm_wait_graph(launch->vm, &graph);
        cli_json_text(&json, "wait_graph", pto_buf_text(&graph));
    }
    cli_json_open(&json, "report", '{'); /* in place of its bracket comes the report itself */
    text.size--;
    pto_buf_append(&text, report->data, report->size);
    json.depth--;
    cli_json_close(&json, '}');
    put_safely(&text, out);
    pto_buf_free(&graph);
    pto_buf_free(&text);
}

struct part {
    const char *mark;
    const unsigned char *bytes; /* NULL: the data */
    size_t size;
};

void cli_page(const struct cli_launch *launch, struct cli_slices *slices,
              const struct pto_buf *report, struct pto_buf *out)
{
    static const struct part parts[] = {
        {"@STYLE@", style_css, sizeof style_css},
        {"@DATA@", NULL, 0},
        {"@SCRIPT@", report_js, sizeof report_js},
    };
    const unsigned char *from = page_html, *end = page_html + sizeof page_html;

    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
        const unsigned char *at = memmem(from, (size_t)(end - from), parts[i].mark,
                                         strlen(parts[i].mark));

        pto_buf_append(out, from, (size_t)(at - from));
        if (parts[i].bytes)
            pto_buf_append(out, parts[i].bytes, parts[i].size);
        else
            put_data(launch, slices, report, out);
        from = at + strlen(parts[i].mark);
        if (parts[i].bytes == report_js) {
            pto_buf_append(out, changes_js, sizeof changes_js);
            pto_buf_append(out, panels_js, sizeof panels_js);
            pto_buf_append(out, graph_js, sizeof graph_js);
        }
    }
    pto_buf_append(out, from, (size_t)(end - from));
}
