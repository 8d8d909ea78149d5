/* What changes from one trip of a loop over the share to the next. See share_state.h. */
#include <stddef.h>

#include "omp_ext/shares/share_state.h"

uint16_t keel_flow_symbol_of_variable(const struct keel_flow *flow,
                                      const struct keel_flow_variable *variable)
{
    return (uint16_t)(SYMBOLS_OF_LOOPS + (variable - flow->variables));
}

struct keel_share_value keel_flow_variable_at_head(const struct keel_flow *flow,
                                                   const struct keel_flow_variable *variable,
                                                   const struct keel_share_value *entry)
{
    struct keel_share_value value = *entry;

    if (variable->is == VARIABLE_SUM) {
        value = keel_share_of_kind(KEEL_VALUE_SUM);
        value.symbol = keel_flow_symbol_of_variable(flow, variable);
        value.operation = variable->operation;
        value.offset = variable->width;
        return value;
    }
    if (variable->is != VARIABLE_CARRIED && entry->kind == KEEL_VALUE_INDEX) {
        return keel_index_at_head(entry, variable->narrow);
    }
    if (variable->is == VARIABLE_CARRIED ||
        (entry->kind != KEEL_VALUE_LINEAR &&
         (entry->kind != KEEL_VALUE_DATA || flow->behind[variable->block]))) {
        return keel_share_refused(CARRIED);
    }
    if (variable->is == VARIABLE_LOADED && flow->per_trip[variable->block] > 0) {
        value.trip = entry->start;
        value.trip.factor *= flow->per_trip[variable->block];
        value.narrow = variable->narrow != 0 ? variable->narrow : value.narrow;
        return value;
    }
    if (entry->kind == KEEL_VALUE_LINEAR) {
        value.trip = variable->step;
        value.wraps = variable->wraps;
        bool has_two = entry->step.factor != 0 && variable->step.symbol != 0; /* multiples */
        if (variable->is == VARIABLE_STEPS && entry->exact && !has_two) {
            return value;
        }
        value.exact = true;
    } else {
        value = keel_share_of_kind(entry->kind);
        value.narrow = entry->narrow;
        value.base = entry->base == KEEL_SHARE_REGION ? KEEL_SHARE_REGION : 0;
    }
    value.symbol = keel_flow_symbol_of_variable(flow, variable);
    value.offset = 0;
    value.step = (struct keel_coefficient){0, 0};
    return value;
}

/* By how much a linear value has grown in a trip; false: by what is not known, or changes. */
static bool growth(const struct keel_share_value *head, const struct keel_share_value *back,
                   struct keel_coefficient *step)
{
    struct keel_share_value same = *back;
    int64_t offset = (int64_t)((uint64_t)back->offset - (uint64_t)head->offset);

    same.offset = head->offset;
    same.step = head->step;
    same.base = head->base;
    if (offset != 0 || !keel_share_is_common(head)) {
        same.version = head->version; /* else how many bytes of it are the same */
    }
    *step = (struct keel_coefficient){(double)offset, 0};
    if (offset >= INT64_C(1) << 52 || offset <= -(INT64_C(1) << 52) || !back->exact ||
        !keel_share_value_equals(&same, head)) {
        return false;
    }
    if (back->step.factor == head->step.factor && back->step.symbol == head->step.symbol) {
        return true;
    }
    *step = back->step;
    return head->step.factor == 0 && offset == 0 && !keel_flow_is_of_loop(back->step.symbol);
}

/* Whether what was loaded before the first trip is followed by what the trip has loaded. */
static bool follows(const struct keel_share_value *head, const struct keel_share_value *back)
{
    struct keel_share_value next = *head;

    next.offset += (int64_t)head->trip.factor;
    next.version = back->version;
    next.narrow = back->narrow;
    return head->trip.symbol == 0 && keel_share_value_equals(&next, back) &&
           head->version % LOADED == back->version % LOADED;
}

static void change_data(struct keel_flow_variable *variable, const struct keel_share_value *entry,
                        const struct keel_share_value *head, const struct keel_share_value *back)
{
    bool is_same = back->kind == KEEL_VALUE_DATA && !back->exact && back->symbol == head->symbol;

    if (variable->is == VARIABLE_LOADED) {
        if (head->exact && !follows(head, back)) {
            variable->is = VARIABLE_CARRIED;
        } else if (head->exact && head->version != back->version) {
            variable->narrow = head->version % LOADED;
        }
    } else {
        variable->is = entry->exact && !is_same ? VARIABLE_LOADED : VARIABLE_CARRIED;
    }
}

struct keel_flow_variable keel_flow_variable_changed(const struct keel_flow_variable *variable,
                                                     uint16_t symbol,
                                                     const struct keel_share_value *entry,
                                                     const struct keel_share_value *head,
                                                     const struct keel_share_value *back,
                                                     const struct keel_flow_state *state)
{
    struct keel_flow_variable now = *variable;

    if (back->kind == KEEL_VALUE_UNKNOWN) {
        now.is = VARIABLE_CARRIED; /* if anything reads it */
    } else if (variable->is == VARIABLE_SUM) {
        bool sums = back->kind == KEEL_VALUE_SUM && back->symbol == symbol &&
                    keel_share_is_neutral(entry, back->operation, back->offset < 0);
        now.is = sums ? VARIABLE_SUM : VARIABLE_CARRIED;
        now.operation = back->operation;
        now.version = back->version;
        now.width = back->offset;
        now.entry = *entry;
    } else if (head->kind == KEEL_VALUE_LINEAR) {
        struct keel_coefficient step;
        bool steps = growth(head, back, &step);
        if (!steps || (variable->is == VARIABLE_STEPS && (step.factor != variable->step.factor ||
                                                          step.symbol != variable->step.symbol))) {
            now.is = keel_share_is_common(head) ? VARIABLE_SUM : VARIABLE_CARRIED;
        } else {
            now.is = VARIABLE_STEPS;
            now.step = step;
            now.wraps = back->wraps;
        }
    } else if (head->kind == KEEL_VALUE_INDEX) {
        now.is = keel_index_comes_back(head, state, back, &now.narrow) ? VARIABLE_INDEX
                                                                       : VARIABLE_CARRIED;
    } else if (head->kind == KEEL_VALUE_DATA) {
        change_data(&now, entry, head, back);
    } else {
        now.is = VARIABLE_CARRIED;
    }
    return now;
}
