/* Self-scheduling in chunks of one fixed, given size. */
#include "schedules/loop/registry.h"

const struct keel_schedule keel_schedule_ss = {
    .name = "ss",
    .summary = "self-scheduling, one iteration at a time",
    .formula = "1",
    .use = "iterations are long (over some microseconds) and very unequal",
    .source = "Tang & Yew 1986",
    .states_min = true,
    .shape = KEEL_UNIFORM,
};

static uint64_t css_size(const struct keel_view *view)
{
    return view->spec->value[KEEL_CHUNK].count;
}

const struct keel_schedule keel_schedule_css = {
    .name = "css",
    .aliases = "dynamic",
    .summary = "chunk self-scheduling",
    .formula = "k (1 if not given)",
    .use = "a good chunk size is known",
    .source = "Kruskal & Weiss 1985",
    .states_min = true,
    .positional = {KEEL_CHUNK},
    .positionals = 1,
    .shape = KEEL_UNIFORM,
    .size = css_size,
};
