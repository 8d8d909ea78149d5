/* Flags, and conditions on them. See share_state.h. */
#include "omp_ext/shares/share_state.h"

void keel_flow_set_common_flags(struct keel_flow_flags *flags)
{
    flags->kind = FLAGS_COMMON;
    flags->wraps = flags->keeps_carry = false;
    flags->value = keel_share_symbol(0);
}

void keel_flow_set_flags(struct keel_flow *flow, const struct keel_share_value *value)
{
    struct keel_flow_flags *flags = &flow->current.flags;

    flags->kind = keel_share_is_common(value) ||
                          (value->kind == KEEL_VALUE_FRAME && value->exact) ||
                          value->kind == KEEL_VALUE_CANARY || value->kind == KEEL_VALUE_UNKNOWN
                      ? FLAGS_COMMON
                      : FLAGS_VALUE;
    flags->wraps = flags->keeps_carry = false;
    flags->value = *value;
}

void keel_flow_compare(struct keel_flow *flow, const struct keel_share_value *a,
                       const struct keel_share_value *b, int size)
{
    bool in_order = a->kind == KEEL_VALUE_THREAD && b->kind == KEEL_VALUE_REMAINDER;

    if (in_order || (a->kind == KEEL_VALUE_REMAINDER && b->kind == KEEL_VALUE_THREAD)) {
        if (flow->may_be_negative && size != flow->divides_by) {
            struct keel_share_value otherwise = keel_share_refused(DIVIDED_OTHERWISE);
            keel_flow_set_flags(flow, &otherwise);
            return;
        }
        flow->current.flags = (struct keel_flow_flags){.kind = FLAGS_IS_LARGER,
                                                       .swapped = !in_order,
                                                       .negative = flow->may_be_negative,
                                                       .other = -1};
        return;
    }
    struct keel_share_value difference = keel_flow_sum(flow, a, b, true, size);
    keel_flow_set_flags(flow, &difference);
    flow->current.flags.wraps = a->kind == KEEL_VALUE_LINEAR && !keel_share_is_common(a);
}

/* Whether a condition is on unsigned numbers or the carry. */
static bool asks_carry(unsigned id)
{
    return keel_code_condition(id).of == KEEL_UNSIGNED || id == X86_INS_ADC || id == X86_INS_SBB;
}

/* Returns 1 if a condition means T < R, 0 for its negation, -1 for others. */
int keel_flow_is_larger(const struct keel_flow_flags *flags, unsigned id)
{
    struct keel_code_condition condition = keel_code_condition(id);
    enum keel_code_relation relation =
        flags->swapped ? keel_code_mirrored(condition.relation) : condition.relation;

    if ((flags->negative && asks_carry(id)) || condition.of == KEEL_SIGN_ALONE) {
        return -1;
    }
    return relation == KEEL_LESS ? 1 : relation == KEEL_AT_LEAST ? 0 : -1;
}

bool keel_flow_is_unsure(const struct keel_flow_flags *flags, unsigned id)
{
    enum keel_code_relation relation = keel_code_condition(id).relation;
    bool asks_equal = relation == KEEL_EQUAL || relation == KEEL_UNEQUAL;

    return (flags->kind == FLAGS_COMMON && flags->wraps && !asks_equal) ||
           (flags->keeps_carry && asks_carry(id));
}

struct keel_share_value keel_flow_read_flags(struct keel_flow *flow)
{
    const struct keel_flow_flags *flags = &flow->current.flags;

    if (keel_flow_is_unsure(flags, keel_flow_now(flow)->id)) {
        return keel_share_refused(WRAPS);
    }
    if (flags->kind == FLAGS_COMMON) {
        return keel_share_symbol(0);
    }
    if (flags->kind == FLAGS_IS_LARGER) {
        return keel_share_refused(DIVIDED_OTHERWISE);
    }
    if (flags->kind == FLAGS_EXTREME) {
        return keel_share_refused(CARRIED);
    }
    return keel_share_combine(&flags->value, &flags->value, keel_flow_per_trip(flow));
}
