#include "cli/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/schedule.h"
#include "data/hash.h"
#include "profile_text.h"

static void value(void *context, const char *key, const char *text)
{
    cli_json_text(context, key, text);
}

static void pairs(const char *key, const struct cli_pairs *pairs, struct cli_json *json)
{
    if (!pairs->count)
        return;
    cli_json_open(json, key, '[');
    for (unsigned i = 0; i < pairs->count; i++) {
        cli_json_open(json, NULL, '{');
        cli_json_text(json, "name", pairs->item[i].name);
        cli_json_text(json, "value", pairs->item[i].value);
        cli_json_close(json, '}');
    }
    cli_json_close(json, ']');
}

static void checksum(const char *key, const void *bytes, size_t size, struct cli_json *json)
{
    char text[24];

    snprintf(text, sizeof text, "%016" PRIx64, cli_hash(CLI_HASH_OF_NOTHING, bytes, size));
    cli_json_text(json, key, text);
}

/* A file may hold something else in the next run, so its content counts, not its name. */
static void files(const struct cli_options *options, const struct cli_launch *launch,
                  struct cli_json *json)
{
    struct pto_buf text = {0};

    if (launch->topology_text)
        checksum("topology_checksum", launch->topology_text, strlen(launch->topology_text), json);
    if (options->schedule_path && launch->schedule) {
        cli_schedule_text(options, launch, launch->schedule, &text);
        checksum("schedule_checksum", text.data, text.size, json);
    }
    pto_buf_free(&text);
}

void cli_setup_json(const struct cli_options *options, const struct cli_launch *launch,
                    struct cli_json *json)
{
    cli_json_open(json, "profile_values", '{');
    if (*launch->profile.name)
        pto_profile_text(&launch->profile, value, json);
    cli_json_close(json, '}');
    cli_json_open(json, "setup", '{');
    pairs("define", &options->define, json);
    pairs("set", &options->set, json);
    pairs("in", &options->in, json);
    if (pto_asm_sync_name(options->sync))
        cli_json_text(json, "sync", pto_asm_sync_name(options->sync));
    cli_json_bool(json, "views_by_buffer", options->views_by_buffer);
    cli_json_bool(json, "join", options->join);
    files(options, launch, json);
    cli_json_close(json, '}');
}
