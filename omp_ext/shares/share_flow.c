/* Values through an outlined function. See share_values.h. */
#include "omp_ext/shares/share_values.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* --- blocks --- */

/* Which side of a jump only runs where the share has iterations: the compiler's own test for that,
 * of the size with 0. */
static enum keel_flow_side side_of_iterations(const struct keel_flow_flags *flags, unsigned jump)
{
    const struct keel_share_value *value = &flags->value;

    if (flags->kind == FLAGS_IS_LARGER) {
        int larger = keel_flow_is_larger(flags, jump);
        return larger == 1 ? SIDE_TAKEN : larger == 0 ? SIDE_NOT_TAKEN : SIDE_NONE;
    }
    if (flags->kind != FLAGS_VALUE || value->kind != KEEL_VALUE_LINEAR ||
        value->start.factor != 0 || value->trip.factor != 0 || value->size.factor == 0 ||
        value->lacks_rest || !value->exact || value->symbol != 0 || value->offset != 0 ||
        value->step.factor != 0) {
        return SIDE_NONE;
    }
    bool is_above = value->size.factor > 0;
    switch (jump) {
    case X86_INS_JL:
    case X86_INS_JB:
        return is_above ? SIDE_NONE : SIDE_TAKEN;
    case X86_INS_JGE:
    case X86_INS_JAE:
        return is_above ? SIDE_NONE : SIDE_NOT_TAKEN;
    case X86_INS_JG:
    case X86_INS_JA:
        return is_above ? SIDE_TAKEN : SIDE_NONE;
    case X86_INS_JLE:
    case X86_INS_JBE:
        return is_above ? SIDE_NOT_TAKEN : SIDE_NONE;
    case X86_INS_JE:
        return SIDE_NOT_TAKEN;
    case X86_INS_JNE:
        return SIDE_TAKEN;
    default:
        return SIDE_NONE;
    }
}

/* Which side of a jump only runs where two numbers are equal. */
static enum keel_flow_side side_of_equal(unsigned jump)
{
    return jump == X86_INS_JE ? SIDE_TAKEN : jump == X86_INS_JNE ? SIDE_NOT_TAKEN : SIDE_NONE;
}

/* Which side of a jump only runs for the share with the last iteration: its end is compared with
 * how many there are. */
static enum keel_flow_side side_of_last(const struct keel_flow *flow, unsigned jump)
{
    const struct keel_share_value *value = &flow->current.flags.value, *all = &flow->dividend;
    bool is_end = flow->current.flags.kind == FLAGS_VALUE && value->kind == KEEL_VALUE_LINEAR &&
                  value->start.factor == 1 && value->start.symbol == 0 && value->trip.factor == 0 &&
                  value->size.factor == 1 && value->size.symbol == 0;
    bool is_last =
        is_end && !value->lacks_rest && value->exact && value->symbol == 0 && flow->divides &&
        all->exact && all->step.factor == 0 && value->offset == -all->offset &&
        (all->symbol == 0 ? value->step.factor == 0
                          : value->step.factor == -1 && value->step.symbol == all->symbol);

    if (!is_last) {
        return SIDE_NONE;
    }
    return side_of_equal(jump);
}

/* Which side of a jump only runs where there are no iterations at all: where their number is 0; or
 * never, as a constant is not 0. */
static enum keel_flow_side side_of_none(const struct keel_flow *flow, int block, unsigned jump)
{
    const cs_insn *asks = keel_block_asks(flow->function, block);
    int size = asks != NULL && (asks->id == X86_INS_CMP || asks->id == X86_INS_TEST)
                   ? asks->detail->x86.operands[0].size
                   : 0;
    const struct keel_share_value *value = &flow->current.flags.value, *all = &flow->dividend;
    bool is_all = flow->divides && size >= flow->dividend_size && all->exact && all->symbol != 0 &&
                  all->step.factor == 0 && value->exact &&
                  (value->symbol == all->symbol
                       ? value->offset == all->offset && value->step.factor == 0
                       : value->symbol == 0 && value->offset == -all->offset &&
                             value->step.factor == -1 && value->step.symbol == all->symbol);
    bool is_number = keel_share_is_constant(value) && (int32_t)value->offset != 0;

    if (flow->current.flags.kind != FLAGS_COMMON || size < 4 || !(is_all || is_number)) {
        return SIDE_NONE;
    }
    return side_of_equal(jump);
}

static bool heads_share_loop(const struct keel_flow *flow, int block)
{
    return flow->has_shares && flow->share_loop[block] == block;
}

/* Whether the block comes to an end of the function, and not only to what ends the process, without
 * passing a block that is `shut`; NULL: none is. */
static bool returns(const struct keel_flow *flow, int block, const bool *shut)
{
    const struct keel_function_code *function = flow->function;
    bool reached[KEEL_CODE_BLOCKS];

    keel_block_reach(function, block, shut, reached);
    reached[block] = true;
    for (int i = 0; i < function->block_count; i++) {
        const struct keel_block *it = &function->blocks[i];
        const cs_insn *end =
            it->count > 0 ? function->instructions[it->first + it->count - 1] : NULL;
        if (reached[i] && !(shut != NULL && shut[i]) && end != NULL &&
            (end->id == X86_INS_RET || keel_code_ends_by_call(flow->code, end))) {
            return true;
        }
    }
    return false;
}

/* Whether the loop over the share may be left there before its end. */
static bool breaks(const struct keel_flow *flow, int block)
{
    const struct keel_block *it = &flow->function->blocks[block];

    for (int side = 0; side < 2; side++) {
        if (it->successors[side] >= 0 &&
            flow->share_loop[it->successors[side]] != flow->share_loop[block] &&
            returns(flow, it->successors[side], NULL)) {
            return true;
        }
    }
    return false;
}

static void run_jump(struct keel_flow *flow, int block)
{
    const struct keel_flow_flags *flags = &flow->current.flags;
    unsigned jump = keel_flow_now(flow)->id;

    bool is_asked_otherwise =
        flags->kind == FLAGS_VALUE && ((flags->value.cut && flow->divides_by != 4) ||
                                       keel_flow_asks_otherwise(flow, block, true));
    flow->iterations[block] = is_asked_otherwise ? SIDE_NONE : side_of_iterations(flags, jump);
    flow->last[block] =
        flow->has_shares && flow->behind[block] ? side_of_last(flow, jump) : SIDE_NONE;
    flow->none[block] = side_of_none(flow, block, jump);
    bool ends = keel_flow_ends_loop(flow, block);
    if (flow->checking && ends) {
        keel_flow_note_end(flow, block);
    } else if (flow->checking && keel_flow_in_share_loop(flow) && breaks(flow, block)) {
        keel_flow_refuse(flow, LEFT_BEFORE);
    }
    if (keel_flow_is_unsure(flags, jump)) {
        keel_flow_refuse(flow, WRAPS);
    }
    if (flags->kind == FLAGS_COMMON && flow->current.side != SIDE_NONE) {
        keel_flow_refuse(flow, OF_LONGER_SHARES); /* the other side may ask the opposite */
    }
    if (flags->kind == FLAGS_COMMON || ends) {
        return;
    }
    if (keel_flow_in_share_loop(flow)) {
        struct keel_share_value condition = keel_flow_read_flags(flow);
        if (condition.kind == KEEL_VALUE_REFUSED) {
            keel_flow_refuse(flow, condition.why);
        }
    } else if (flow->iterations[block] == SIDE_NONE && flow->last[block] == SIDE_NONE) {
        keel_flow_refuse(flow, flags->kind == FLAGS_IS_LARGER
                                   ? "the iterations are not divided as GCC does it"
                                   : OUTSIDE_DEPENDS);
    }
}

/* `state` becomes as `to`, as far as locations are used. */
static void set_state(const struct keel_flow *flow, struct keel_flow_state *state,
                      const struct keel_flow_state *to)
{
    size_t used = (size_t)keel_flow_locations(flow) * sizeof *to->at;

    memcpy(state, to, offsetof(struct keel_flow_state, at) + used);
}

static void run_block(struct keel_flow *flow, int block)
{
    const struct keel_block *it = &flow->function->blocks[block];

    flow->block = block;
    set_state(flow, &flow->current, &flow->in[block]);
    flow->instruction = it->first;
    if (heads_share_loop(flow, block) && flow->current.side != SIDE_NONE) {
        keel_flow_refuse(flow, OF_LONGER_SHARES);
    }
    *flow->steps += it->count;
    for (int i = 0; i < it->count; i++) {
        flow->instruction = it->first + i;
        keel_flow_step(flow);
    }
    if (it->count > 0 && it->successors[1] >= 0) {
        run_jump(flow, block);
    }
}

/* Behind the jump that asks whether T < R: one side knows that it is so. */
static void divide_sides(const struct keel_flow *flow, struct keel_flow_state *state, bool larger)
{
    for (int i = 0; i < keel_flow_locations(flow); i++) {
        struct keel_share_value *value = &state->at[i];
        if (value->kind == KEEL_VALUE_QUOTIENT) {
            *value = larger ? keel_share_of_kind(KEEL_VALUE_QUOTIENT_LESS) : keel_share_size();
        } else if (value->kind == KEEL_VALUE_QUOTIENT_MORE) {
            *value = larger ? keel_share_size() : keel_share_of_kind(KEEL_VALUE_UNKNOWN);
        } else if (value->kind == KEEL_VALUE_REMAINDER) {
            *value = larger ? keel_share_of_kind(KEEL_VALUE_REMAINDER_LESS) : keel_share_rest();
        }
    }
}

static struct keel_flow_variable *variable_of(struct keel_flow *flow, int block, int location)
{
    for (int i = 0; i < flow->variable_count; i++) {
        if (flow->variables[i].block == block && flow->variables[i].location == location) {
            return &flow->variables[i];
        }
    }
    return NULL;
}

static uint16_t symbol_of(const struct keel_flow *flow, const struct keel_flow_variable *variable)
{
    return (uint16_t)(SYMBOLS_OF_LOOPS + (variable - flow->variables));
}

/* Out of the loop over the share, what has moved with its trips has moved by its size. */
static bool leave_loop(struct keel_flow *flow, int block, struct keel_flow_state *state)
{
    int loop = flow->share_loop[block];

    flow->current.flags = state->flags;
    if (keel_flow_ends_loop(flow, block)) {
        flow->trips_found = flow->trips_found || flow->per_trip[loop] == 0;
        flow->per_trip[loop] = 1;
    }
    if (flow->per_trip[loop] == 0) {
        return false;
    }
    for (int i = 0; i < keel_flow_locations(flow); i++) {
        struct keel_share_value *value = &state->at[i];
        bool moves = value->kind == KEEL_VALUE_LINEAR && value->trip.factor != 0;
        if (moves && value->exact) {
            struct keel_share_value moved = keel_share_symbol(0), fixed = *value;
            moved.size = value->trip;
            fixed.trip = (struct keel_coefficient){0, 0};
            *value = keel_share_add(&fixed, &moved, 0);
        } else if (value->kind == KEEL_VALUE_INDEX && value->trip.factor == 0) {
            *value = keel_share_refused(CARRIED);
        } else if (moves || value->kind == KEEL_VALUE_INDEX ||
                   (keel_share_is_common(value) && !value->exact && value->version >= 0)) {
            *value = keel_share_data(value, value); /* one or another, as it came last */
        } else if (value->kind == KEEL_VALUE_SUM) {
            int sum = value->symbol - SYMBOLS_OF_LOOPS;
            if (value->version != flow->variables[sum].version) {
                *value = keel_share_refused("a sum as it was before"); /* a copy of it */
            }
        }
    }
    state->wrapped = 0;
    keel_flow_set_common_flags(&state->flags);
    return true;
}

/* What comes from `block` into `successor`; false: nothing yet. */
static bool pass_edge(struct keel_flow *flow, int block, int successor,
                      struct keel_flow_state *passed)
{
    const struct keel_function_code *function = flow->function;
    const struct keel_block *to = &function->blocks[successor];

    if (!flow->out[block].reached) {
        return false;
    }
    set_state(flow, passed, &flow->out[block]);
    keel_index_pass(flow, block, to, passed);
    if (to->origin == block && to->count == 0 && passed->flags.kind == FLAGS_IS_LARGER) {
        const struct keel_block *from = &function->blocks[block];
        int larger = keel_flow_is_larger(&passed->flags,
                                         function->instructions[from->first + from->count - 1]->id);
        divide_sides(flow, passed, larger == to->taken);
        passed->side = larger == to->taken ? SIDE_TAKEN : SIDE_NOT_TAKEN;
    }
    if (flow->has_shares) {
        int loop = flow->share_loop[block];
        if (loop >= 0 && flow->share_loop[successor] != loop && !leave_loop(flow, block, passed)) {
            return false;
        }
    }
    return true;
}

/* --- variables of the loop over the share --- */

/* The value of a variable at the head of the loop, with `entry` before the first trip. */
static struct keel_share_value at_head(const struct keel_flow *flow,
                                       const struct keel_flow_variable *variable,
                                       const struct keel_share_value *entry)
{
    struct keel_share_value value = *entry;

    if (variable->is == VARIABLE_SUM) {
        value = keel_share_of_kind(KEEL_VALUE_SUM);
        value.symbol = symbol_of(flow, variable);
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
    value.symbol = symbol_of(flow, variable);
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

/* How a variable that was `head` at the head of the loop has changed when it comes `back`, with the
 * state there. */
static struct keel_flow_variable changed(const struct keel_flow_variable *variable, uint16_t symbol,
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

/* --- to the fixed point --- */

/* Whether nothing at all is known of a value, as of most locations. */
static bool is_blank(const struct keel_share_value *value)
{
    return value->kind == KEEL_VALUE_UNKNOWN && value->version == 0 && value->narrow == 0 &&
           value->base == 0 && !value->wraps && !value->cut;
}

static void join_flags(struct keel_flow_flags *flags, const struct keel_flow_flags *more)
{
    if (flags->kind != more->kind || flags->kind == FLAGS_IS_LARGER ||
        flags->kind == FLAGS_EXTREME || flags->kind == FLAGS_INDEX) {
        flags->kind = FLAGS_VALUE;
        flags->value = keel_share_of_kind(KEEL_VALUE_DATA);
    } else if (flags->kind == FLAGS_VALUE) {
        flags->value = keel_share_join(&flags->value, &more->value, 0);
    }
    flags->wraps = flags->wraps || more->wraps;
    flags->keeps_carry = flags->keeps_carry || more->keeps_carry;
}

/* Whether two values differ by a number. */
static bool tells_apart(const struct keel_share_value *a, const struct keel_share_value *b)
{
    struct keel_share_value one = *a, other = *b;

    one.lacks_rest = other.lacks_rest = false;
    struct keel_share_value difference = keel_share_subtract(&one, &other, 0);
    return a->kind == KEEL_VALUE_LINEAR && b->kind == KEEL_VALUE_LINEAR &&
           keel_share_is_common(&difference) && !keel_share_value_equals(a, b);
}

/* Whether two values behind a loop are one or another as its last iteration was: but for the same
 * that was loaded twice. */
static bool comes_as_last(const struct keel_share_value *a, const struct keel_share_value *b)
{
    return a->kind == KEEL_VALUE_LINEAR && b->kind == KEEL_VALUE_LINEAR &&
           !keel_share_value_equals(a, b) &&
           !(a->version < 0 && a->version == b->version && a->base == b->base);
}

static void join_state(const struct keel_flow *flow, struct keel_flow_state *state,
                       const struct keel_flow_state *more)
{
    struct keel_share_value joined;

    if (!state->reached) {
        set_state(flow, state, more);
        state->reached = true;
        return;
    }
    for (int i = 0; i < keel_flow_locations(flow); i++) {
        if (is_blank(&state->at[i]) && is_blank(&more->at[i])) {
            continue;
        }
        if (keel_flow_per_trip(flow) == KEEL_SHARE_BEHIND &&
            comes_as_last(&state->at[i], &more->at[i])) {
            state->at[i] = keel_share_data(&state->at[i], &more->at[i]);
            continue;
        }
        if (keel_index_join(state, &state->at[i], more, &more->at[i], &joined)) {
            state->at[i] = joined;
            continue;
        }
        if (state->side == SIDE_TAKEN &&
            keel_share_is_rest_of_longer(&state->at[i], &more->at[i])) {
            state->at[i] = more->at[i];
            continue;
        }
        if (more->side == SIDE_TAKEN && keel_share_is_rest_of_longer(&more->at[i], &state->at[i])) {
            continue;
        }
        bool tells = state->side != more->side && tells_apart(&state->at[i], &more->at[i]);
        bool versions = state->at[i].kind == KEEL_VALUE_SUM && more->at[i].kind == KEEL_VALUE_SUM &&
                        state->at[i].version != more->at[i].version;
        state->at[i] =
            tells ? keel_share_refused("a value tells which shares are longer")
                  : keel_flow_join(flow, &state->at[i], &more->at[i], keel_flow_per_trip(flow));
        if (versions) {
            state->at[i].version = KEEL_CODE_INSTRUCTIONS + 1 + flow->block * LOCATIONS + i;
        }
    }
    state->side = state->side == more->side ? state->side : SIDE_NONE;
    state->locked = state->locked && more->locked;
    state->wrapped &= more->wrapped;
    join_flags(&state->flags, &more->flags);
}

/* The state at the begin of a block, from those before it that are in the loop of `header`, or from
 * those that are not; header -1: from all. */
static void join_before(struct keel_flow *flow, int block, int header, bool within,
                        struct keel_flow_state *state, struct keel_flow_state *scratch)
{
    const struct keel_function_code *function = flow->function;

    flow->block = block;
    state->reached = false;
    for (int i = 0; i < function->block_count; i++) {
        for (int side = 0; side < 2; side++) {
            if (function->blocks[i].successors[side] == block && function->blocks[i].order >= 0 &&
                (header < 0 || keel_block_is_in_loop(function, i, header) == within) &&
                pass_edge(flow, i, block, scratch)) {
                join_state(flow, state, scratch);
            }
        }
    }
}

static void gather(struct keel_flow *flow, int block, struct keel_flow_state *state,
                   struct keel_flow_state *scratch)
{
    bool heads = heads_share_loop(flow, block);

    join_before(flow, block, heads ? block : -1, false, state, scratch);
    for (int i = 0; heads && state->reached && i < flow->variable_count; i++) {
        const struct keel_flow_variable *variable = &flow->variables[i];
        if (variable->block == block) {
            struct keel_share_value *value = &state->at[variable->location];
            *value = at_head(flow, variable, value);
        }
    }
    if (heads) { /* those of the trip before */
        state->wrapped = 0;
        keel_flow_set_common_flags(&state->flags);
        state->flags.kind = FLAGS_VALUE;
        state->flags.value = keel_share_refused(CARRIED);
    }
}

/* Whether a location is a part of a slot that is known. */
static bool is_part(const struct keel_flow *flow, const struct keel_flow_state *head, int location)
{
    for (int i = 0; location >= SLOTS && i < flow->slot_count; i++) {
        const struct keel_flow_slot *slot = &flow->slots[i], *part = &flow->slots[location - SLOTS];
        if (head->at[SLOTS + i].kind != KEEL_VALUE_UNKNOWN && slot->offset <= part->offset &&
            slot->offset + slot->size >= part->offset + part->size) {
            return true;
        }
    }
    return false;
}

/* Whether a value has changed in the loop, or would not show it if it had. */
static bool may_change(const struct keel_flow *flow, const struct keel_flow_state *head_state,
                       const struct keel_share_value *back, int location)
{
    const struct keel_share_value *head = &head_state->at[location];

    switch (head->kind) {
    case KEEL_VALUE_UNKNOWN:
        return back->kind != KEEL_VALUE_UNKNOWN || !is_part(flow, head_state, location);
    case KEEL_VALUE_LINEAR:
        return !head->exact || !keel_share_value_equals(head, back);
    case KEEL_VALUE_DATA:
    case KEEL_VALUE_INDEX:
        return true;
    default:
        return !keel_share_value_equals(head, back);
    }
}

/* Looks at what comes back to the head of a loop over the share; whether that says more. */
static bool learn_variables(struct keel_flow *flow, int block, struct keel_flow_state *scratch)
{
    const struct keel_flow_state *head = &flow->in[block];
    struct keel_flow_state *back = &scratch[1], *entry = &scratch[2];
    bool more = false;

    join_before(flow, block, block, true, back, scratch);
    join_before(flow, block, block, false, entry, scratch);
    for (int i = 0; head->reached && back->reached && i < keel_flow_locations(flow); i++) {
        struct keel_flow_variable *variable = variable_of(flow, block, i);
        if (variable == NULL && may_change(flow, head, &back->at[i], i) &&
            flow->variable_count < VARIABLES_MAX) {
            flow->variables[flow->variable_count++] =
                (struct keel_flow_variable){.block = block, .location = i};
            more = true;
            if (flow->variable_count == VARIABLES_MAX) {
                flow->refusal =
                    (struct keel_refusal){"the function is too large", flow->function->begin};
            }
        } else if (variable != NULL && variable->is != VARIABLE_CARRIED) {
            struct keel_flow_variable now =
                changed(variable, symbol_of(flow, variable), &entry->at[i], &head->at[i],
                        &back->at[i], back);
            more = more || now.is != variable->is || now.operation != variable->operation ||
                   now.wraps != variable->wraps || now.version != variable->version ||
                   now.narrow != variable->narrow || now.step.factor != variable->step.factor ||
                   !keel_share_value_equals(&now.entry, &variable->entry);
            *variable = now;
        }
    }
    return more;
}

static bool same_state(const struct keel_flow *flow, const struct keel_flow_state *a,
                       const struct keel_flow_state *b)
{
    if (a->reached != b->reached || a->wrapped != b->wrapped || a->flags.kind != b->flags.kind ||
        a->flags.wraps != b->flags.wraps || a->flags.keeps_carry != b->flags.keeps_carry ||
        (a->flags.kind == FLAGS_VALUE &&
         !keel_share_value_equals(&a->flags.value, &b->flags.value))) {
        return false;
    }
    for (int i = 0; a->reached && i < keel_flow_locations(flow); i++) {
        if (is_blank(&a->at[i]) && is_blank(&b->at[i])) {
            continue;
        }
        if (!keel_share_value_equals(&a->at[i], &b->at[i]) || a->at[i].wraps != b->at[i].wraps ||
            a->at[i].cut != b->at[i].cut) {
            return false;
        }
    }
    return true;
}

static void enter_function(struct keel_flow_state *state)
{
    memset(state, 0, sizeof *state);
    state->reached = true;
    for (int i = 0; i < 16; i++) {
        bool is_callers = i == RBX || i == RBP || i >= R12;
        state->at[i] = i == RDI     ? keel_share_symbol(SYMBOLS_OF_ENTRY)
                       : is_callers ? keel_share_refused(CALLERS_REGISTER)
                                    : keel_share_of_kind(KEEL_VALUE_UNKNOWN);
        state->at[i].version = is_callers ? KEEL_SHARE_LOADED(1) : 0; /* as it was left */
    }
    state->at[RDI].base = KEEL_SHARE_REGION;
    state->at[RSP] = keel_share_of_kind(KEEL_VALUE_FRAME);
    state->at[RSP].exact = true;
    state->flags.kind = FLAGS_VALUE;
    state->flags.value = keel_share_refused(CALLERS_REGISTER);
}

static void find_fixed_point(struct keel_flow *flow, struct keel_flow_state *scratch)
{
    struct keel_function_code *function = flow->function;
    bool changed = true;

    for (int i = 0; i < function->block_count; i++) {
        flow->in[i].reached = flow->out[i].reached = false;
    }
    for (int pass = 0; changed && flow->refusal.why == NULL; pass++) {
        changed = false;
        if (pass == PASSES_MAX || *flow->steps > STEPS_MAX) {
            flow->refusal = (struct keel_refusal){"the function is too large", function->begin};
        }
        for (int i = 0; i < function->order_count; i++) {
            int block = function->by_order[i];
            if (block == 0) {
                enter_function(&scratch[2]);
            } else {
                gather(flow, block, &scratch[2], scratch);
            }
            if (!scratch[2].reached || (pass > 0 && flow->in[block].reached &&
                                        same_state(flow, &scratch[2], &flow->in[block]))) {
                continue;
            }
            changed = true;
            set_state(flow, &flow->in[block], &scratch[2]);
            run_block(flow, block);
            set_state(flow, &flow->out[block], &flow->current);
        }
    }
}

/* With the loops over the share, whose variables are learned meanwhile. */
static void find_trips(struct keel_flow *flow, struct keel_flow_state *scratch)
{
    bool more = true;

    while (more && flow->refusal.why == NULL) {
        flow->trips_found = false;
        find_fixed_point(flow, scratch);
        more = flow->trips_found; /* all that was done without is done again */
        for (int block = 0; block < flow->function->block_count; block++) {
            if (heads_share_loop(flow, block)) {
                more = learn_variables(flow, block, scratch) || more;
            }
        }
    }
}

/* --- loops over the share --- */

/* Blocks that only run where the share has iterations. */
static void find_guarded(struct keel_flow *flow)
{
    const struct keel_function_code *function = flow->function;
    bool changed = true;

    for (int block = 0; block < function->block_count; block++) {
        flow->guarded[block] = block != 0;
    }
    while (changed) {
        changed = false;
        for (int block = 0; block < function->block_count; block++) {
            if (flow->guarded[block] || function->blocks[block].order < 0) {
                continue;
            }
            for (int side = 0; side < 2; side++) {
                int successor = function->blocks[block].successors[side];
                if (successor >= 0 && flow->guarded[successor] &&
                    !keel_flow_is_side(flow, successor, flow->iterations)) {
                    flow->guarded[successor] = false;
                    changed = true;
                }
            }
        }
    }
}

static void find_share_loops(struct keel_flow *flow)
{
    const struct keel_function_code *function = flow->function;

    for (int i = 0; i < function->block_count; i++) {
        int loop = function->blocks[i].loop, found = -1;
        while (loop >= 0) {
            if (flow->guarded[loop]) {
                found = loop;
            }
            loop = function->blocks[loop].outer;
        }
        flow->share_loop[i] = found;
    }
}

/* Whether `successor` comes behind a loop over the share that `block` is in, or is behind of. */
static bool comes_behind(const struct keel_flow *flow, int block, int successor)
{
    int loop = flow->share_loop[block], next = flow->share_loop[successor];

    return next < 0 ? loop >= 0 || flow->behind[block]
                    : next == successor && loop != next && (loop >= 0 || flow->behind[block]);
}

static void find_behind(struct keel_flow *flow)
{
    const struct keel_function_code *function = flow->function;

    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < function->order_count; i++) {
            int block = function->by_order[i];
            for (int side = 0; side < 2; side++) {
                int successor = function->blocks[block].successors[side];
                if (successor >= 0 && !flow->behind[successor] &&
                    comes_behind(flow, block, successor)) {
                    flow->behind[successor] = changed = true;
                }
            }
        }
    }
}

/* --- effects --- */

static bool is_total(const struct keel_flow_effect *effect)
{
    return effect->kind == EFFECT_TOTAL || effect->kind == EFFECT_EXCHANGE;
}

/* Whether a loop goes on until the exchange has succeeded, and is left then. */
static bool tries_again(const struct keel_flow *flow, const struct keel_flow_effect *exchange)
{
    const struct keel_function_code *function = flow->function;
    const struct keel_block *it = &function->blocks[exchange->block];
    int loop = it->loop;
    unsigned jump = function->instructions[it->first + it->count - 1]->id;

    for (int i = 0; i < function->block_count; i++) {
        for (int side = 0; side < 2; side++) {
            int next = function->blocks[i].successors[side];
            if (i != exchange->block && next >= 0 && keel_block_is_in_loop(function, i, loop) &&
                !keel_block_is_in_loop(function, next, loop) &&
                function->blocks[i].origin != exchange->block) {
                return false;
            }
        }
    }
    bool is_old[SLOTS] = {[RAX] = true}; /* what the exchange has found */
    for (int i = exchange->instruction + 1; i < it->first + it->count - 1; i++) {
        const cs_insn *now = function->instructions[i];
        const cs_x86_op *to = &now->detail->x86.operands[0], *from = to + 1;
        bool has_two = now->detail->x86.op_count == 2;
        int one = has_two && to->type == X86_OP_REG ? keel_flow_location_of(to->reg) : -1;
        int other = has_two && from->type == X86_OP_REG ? keel_flow_location_of(from->reg) : -1;
        bool moves = now->id == X86_INS_MOV || now->id == X86_INS_MOVQ || now->id == X86_INS_MOVD;
        if (moves && one >= 0) {
            is_old[one] = other >= 0 && is_old[other];
        } else if (!moves && (now->id != X86_INS_CMP || one < 0 || other < 0 ||
                              is_old[one] == is_old[other])) {
            return false;
        }
    }
    return jump == X86_INS_JE || jump == X86_INS_JNE;
}

/* Whether a total comes about once: by a locked instruction in no loop, or by an exchange in the
 * loop that tries it again. */
static bool comes_once(const struct keel_flow *flow, const struct keel_flow_effect *effect)
{
    const struct keel_function_code *function = flow->function;
    int loop = function->blocks[effect->block].loop;

    return effect->kind == EFFECT_TOTAL
               ? loop < 0
               : loop >= 0 && function->blocks[loop].outer < 0 && tries_again(flow, effect);
}

static bool is_one_operation(const struct keel_flow *flow, const struct keel_flow_effect *total)
{
    for (int i = 0; i < flow->effect_count; i++) {
        if (is_total(&flow->effects[i]) && flow->effects[i].base == total->base &&
            flow->effects[i].operation != total->operation) {
            return false;
        }
    }
    return true;
}

/* Whether it is what the total, which is of no iteration, combines with what stands in memory. */
static bool is_constant_of(const struct keel_flow_effect *total,
                           const struct keel_share_value *value)
{
    return keel_share_is_common(value) && value->exact && value->symbol == total->symbol &&
           value->offset == total->offset && value->step.factor == 0;
}

/* Whether a share without iterations adds nothing to a total, or what all others begin with. */
static bool begins_alike(const struct keel_flow *flow, const struct keel_flow_effect *total)
{
    bool is_begin = false, is_other = false;

    for (int i = 0; i < flow->effect_count; i++) {
        const struct keel_flow_effect *effect = &flow->effects[i];
        if (is_total(effect) && effect->base == total->base) {
            bool is_same = effect->sum != NULL
                               ? is_constant_of(total, &effect->sum->entry)
                               : effect->symbol == total->symbol && effect->offset == total->offset;
            is_begin = is_begin || (is_same && flow->behind[effect->block]);
            is_other = is_other || !is_same;
        }
    }
    bool is_neutral =
        total->operation == KEEL_OPERATION_ADD || total->operation == KEEL_OPERATION_XOR ||
        total->operation == KEEL_OPERATION_MULTIPLY ||
        (total->operation == KEEL_OPERATION_OR && total->symbol == 0 && total->offset == 0);
    return total->sum != NULL || is_neutral || (is_begin && !is_other);
}

/* Whether a share may leave its loop and end without a total that it could have come to: then which
 * ones do may depend on what others have added. */
static bool leaves_out_total(const struct keel_flow *flow, uint32_t base)
{
    bool totals[KEEL_CODE_BLOCKS] = {false}, reached[KEEL_CODE_BLOCKS];

    for (int i = 0; i < flow->effect_count; i++) {
        if (is_total(&flow->effects[i]) && flow->effects[i].base == base) {
            totals[flow->effects[i].block] = true;
        }
    }
    for (int i = 0; i < flow->function->block_count; i++) {
        bool comes_to_total = false;
        if (heads_share_loop(flow, i) && returns(flow, i, totals)) {
            keel_block_reach(flow->function, i, NULL, reached);
            for (int k = 0; k < flow->function->block_count; k++) {
                comes_to_total = comes_to_total || (totals[k] && (reached[k] || k == i));
            }
        }
        if (comes_to_total) {
            return true;
        }
    }
    return false;
}

/* Whether one may run before the other. */
static bool comes_before(const struct keel_flow *flow, const struct keel_flow_effect *first,
                         const struct keel_flow_effect *second)
{
    bool reached[KEEL_CODE_BLOCKS];

    keel_block_reach(flow->function, first->block, NULL, reached);
    return reached[second->block] ||
           (first->block == second->block && first->instruction < second->instruction);
}

/* Whether shares need not wait for each other: one has done nothing before the barrier, nor asked
 * what others may have changed, and what it has loaded stays; or it does nothing behind. */
static bool needs_no_waiting(const struct keel_flow *flow, const struct keel_flow_effect *barrier)
{
    bool is_first = !flow->stores_late, is_last = true;

    for (int i = 0; i < flow->function->block_count; i++) {
        const struct keel_block *it = &flow->function->blocks[i];
        const struct keel_flow_effect end = {.block = i, .instruction = INT_MAX};
        bool asks = it->order >= 0 && it->successors[1] >= 0,
             goes_round = it->order >= 0 && it->loop >= 0;
        is_first = is_first && !(asks && comes_before(flow, &end, barrier));
        is_last = is_last && !(goes_round && comes_before(flow, barrier, &end));
    }
    for (int i = 0; i < flow->effect_count; i++) {
        const struct keel_flow_effect *effect = &flow->effects[i];
        if (effect->kind != EFFECT_BARRIER) {
            is_first = is_first && !comes_before(flow, effect, barrier);
            is_last = is_last && !comes_before(flow, barrier, effect);
        }
    }
    return flow->function->blocks[barrier->block].loop < 0 && (is_first || is_last);
}

/* Loops behind that do nothing may wait for what an iteration of another share sets, and that share
 * may be one that the same thread has still to run. */
static void check_waits(struct keel_flow *flow)
{
    const struct keel_function_code *function = flow->function;

    for (int i = 0; i < function->order_count; i++) {
        int block = function->by_order[i], loop = function->blocks[block].loop;
        bool works = loop < 0 || flow->share_loop[block] >= 0 || !flow->behind[block];
        for (int k = 0; k < flow->effect_count && !works; k++) {
            works = flow->effects[k].kind != EFFECT_FAULT &&
                    function->blocks[flow->effects[k].block].loop == loop;
        }
        if (!works) {
            const struct keel_block *head = &function->blocks[loop];
            keel_flow_refuse_at(flow, "a loop in which shares may wait for each other",
                                function->instructions[head->first]->address);
        }
    }
}

static void check_effects(struct keel_flow *flow)
{
    check_waits(flow);
    for (int i = 0; i < flow->effect_count; i++) {
        const struct keel_flow_effect *effect = &flow->effects[i];
        bool is_of_last_share = keel_flow_is_behind_side(flow, effect->block, flow->last);
        bool is_right =
            is_total(effect) ? !is_of_last_share && comes_once(flow, effect) &&
                                   is_one_operation(flow, effect) && begins_alike(flow, effect)
            : effect->kind == EFFECT_BARRIER
                ? needs_no_waiting(flow, effect)
                : effect->kind == EFFECT_REST || effect->kind == EFFECT_FAULT ||
                      (flow->guarded[effect->block] &&
                       (flow->share_loop[effect->block] >= 0 || effect->kind == EFFECT_FILL ||
                        (effect->kind == EFFECT_STORE && is_of_last_share &&
                         flow->behind[effect->block])));
        uint64_t at = flow->function->instructions[effect->instruction]->address;
        if (!is_right) {
            keel_flow_refuse_at(flow,
                                effect->kind == EFFECT_BARRIER
                                    ? "a barrier at which shares would have to wait"
                                    : "code outside of the loop has effects",
                                at);
        } else if (is_total(effect) && leaves_out_total(flow, effect->base)) {
            keel_flow_refuse_at(flow, "a share may leave out its part of a sum", at);
        }
    }
}

static void check_all(struct keel_flow *flow)
{
    struct keel_function_code *function = flow->function;
    bool any = false;

    flow->checking = true;
    for (int i = 0; i < function->order_count && flow->refusal.why == NULL; i++) {
        int block = function->by_order[i];
        if (!flow->in[block].reached) {
            keel_flow_refuse_at(flow, "a loop whose end is not that of the share",
                                function->instructions[function->blocks[block].first]->address);
            return;
        }
        run_block(flow, block);
        any = any || flow->share_loop[block] == block;
    }
    for (int i = 0; i < flow->effect_count; i++) {
        any = any || flow->effects[i].kind == EFFECT_FILL;
    }
    if (!any) {
        keel_flow_refuse_at(flow, "there is no loop that GCC has divided", function->begin);
    }
    keel_flow_check_ends(flow);
    check_effects(flow);
}

/* --- the whole --- */

static bool allocate(struct keel_flow *flow)
{
    size_t blocks = (size_t)flow->function->block_count;

    flow->in = calloc(blocks, sizeof *flow->in);
    flow->out = calloc(blocks, sizeof *flow->out);
    flow->scratch = calloc(3, sizeof *flow->scratch);
    flow->guarded = calloc(blocks, sizeof *flow->guarded);
    flow->iterations = calloc(blocks, sizeof *flow->iterations);
    flow->last = calloc(blocks, sizeof *flow->last);
    flow->none = calloc(blocks, sizeof *flow->none);
    flow->ends = calloc(blocks, sizeof *flow->ends);
    flow->works = calloc(blocks, sizeof *flow->works);
    flow->share_loop = calloc(blocks, sizeof *flow->share_loop);
    flow->behind = calloc(blocks, sizeof *flow->behind);
    flow->per_trip = calloc(blocks, sizeof *flow->per_trip);
    flow->effects = malloc(KEEL_CODE_INSTRUCTIONS * sizeof *flow->effects);
    flow->variables = malloc(VARIABLES_MAX * sizeof *flow->variables);
    return flow->in != NULL && flow->out != NULL && flow->scratch != NULL &&
           flow->guarded != NULL && flow->iterations != NULL && flow->last != NULL &&
           flow->none != NULL && flow->ends != NULL && flow->works != NULL &&
           flow->share_loop != NULL && flow->behind != NULL && flow->per_trip != NULL &&
           flow->effects != NULL && flow->variables != NULL;
}

static void release(struct keel_flow *flow)
{
    free(flow->in);
    free(flow->out);
    free(flow->scratch);
    free(flow->guarded);
    free(flow->iterations);
    free(flow->last);
    free(flow->none);
    free(flow->ends);
    free(flow->works);
    free(flow->share_loop);
    free(flow->behind);
    free(flow->per_trip);
    free(flow->effects);
    free(flow->variables);
    free(flow);
}

/* What asks, where that is a register or slot beside a constant, or itself: then all that it has to
 * know is in the difference. NULL: it is something else. */
static const cs_insn *question_of(const struct keel_function_code *function, int block)
{
    const cs_insn *asks = keel_block_asks(function, block);

    if (asks == NULL || (asks->id != X86_INS_CMP && asks->id != X86_INS_TEST)) {
        return NULL;
    }
    const cs_x86_op *a = &asks->detail->x86.operands[0], *b = &asks->detail->x86.operands[1];
    bool is_itself = asks->id == X86_INS_TEST && a->type == X86_OP_REG && b->type == X86_OP_REG &&
                     a->reg == b->reg;
    return is_itself || (asks->id == X86_INS_CMP && b->type == X86_OP_IMM) ? asks : NULL;
}

static bool same_question(const cs_insn *a, const cs_insn *b)
{
    const cs_x86_op *one = a->detail->x86.operands, *other = b->detail->x86.operands;

    return a->id == b->id && one[0].size == other[0].size &&
           (a->id == X86_INS_TEST || one[1].imm == other[1].imm);
}

/* Whether what is asked about is a value as it was loaded: sums may have had 32 bits or 64. */
static bool is_plain(const cs_insn *question, const struct keel_share_value *difference)
{
    int64_t with = question->id == X86_INS_CMP ? question->detail->x86.operands[1].imm : 0;

    return difference->exact && difference->offset == -with && difference->step.factor == 0 &&
           question->detail->x86.operands[0].size <= 4;
}

/* Marks the blocks in loops over the share that end with one and the same question, the first one
 * that has the same answer each time; false: there is none. */
static bool find_choice(const struct keel_flow *flow, bool *asks)
{
    const struct keel_function_code *function = flow->function;
    const struct keel_share_value *value = NULL;
    const cs_insn *first = NULL;
    unsigned jump = 0;

    for (int i = 0; i < function->order_count; i++) {
        int block = function->by_order[i];
        const struct keel_block *it = &function->blocks[block];
        const struct keel_flow_flags *flags = &flow->out[block].flags;
        const cs_insn *question = question_of(function, block);
        if (question == NULL || flow->share_loop[block] < 0 || it->successors[1] < 0 ||
            flags->kind != FLAGS_COMMON || !keel_share_is_common(&flags->value) ||
            keel_flow_is_of_loop(flags->value.symbol) ||
            keel_flow_is_of_loop(flags->value.step.symbol) || !is_plain(question, &flags->value)) {
            continue;
        }
        unsigned id = function->instructions[it->first + it->count - 1]->id;
        if (value == NULL) {
            value = &flags->value;
            first = question;
            jump = id;
        }
        asks[block] = id == jump && same_question(first, question) &&
                      keel_share_value_equals(value, &flags->value);
    }
    return value != NULL;
}

/* Whether an edge comes to blocks that others come to as well. */
static bool meets_others(const struct keel_function_code *function, int edge)
{
    bool reached[KEEL_CODE_BLOCKS];

    keel_block_reach(function, edge, NULL, reached);
    for (int i = 0; i < function->block_count; i++) {
        if (reached[i] && !keel_block_dominates(function, edge, i)) {
            return true;
        }
    }
    return false;
}

/* The edge that only runs where the share has no iterations, if it comes to what else runs, too;
 * -1: none. */
static int find_empty(const struct keel_flow *flow)
{
    const struct keel_function_code *function = flow->function;

    for (int i = 0; i < function->order_count; i++) {
        int block = function->by_order[i];
        const struct keel_block *it = &function->blocks[block];
        if (it->count == 0 && it->origin >= 0 && it->loop < 0 &&
            flow->out[it->origin].flags.kind == FLAGS_VALUE &&
            flow->iterations[it->origin] != SIDE_NONE &&
            !keel_flow_is_side(flow, block, flow->iterations) && meets_others(function, block)) {
            return block;
        }
    }
    return -1;
}

/* What of a refused function may be looked at alone. */
struct parts {
    bool asks[KEEL_CODE_BLOCKS]; /* as of find_choice(), */
    bool chooses;                /* if it returns true */
    int empty;                   /* of find_empty() */
};

/* steps: counted. */
static struct keel_refusal check(struct keel_elf_code *code, struct keel_function_code *function,
                                 struct parts *parts, int *steps)
{
    struct keel_flow *flow = calloc(1, sizeof *flow);
    struct keel_refusal refusal = {"there is no memory", function->begin};

    *parts = (struct parts){.empty = -1};
    if (flow == NULL) {
        return refusal;
    }
    flow->code = code;
    flow->function = function;
    flow->steps = steps;
    if (allocate(flow)) {
        find_fixed_point(flow, flow->scratch);
        find_guarded(flow);
        find_share_loops(flow);
        find_behind(flow);
        parts->empty = flow->refusal.why == NULL ? find_empty(flow) : -1;
        flow->has_shares = true;
        find_trips(flow, flow->scratch);
        parts->chooses = flow->refusal.why == NULL && !flow->stores_late &&
                         find_choice(flow, parts->asks); /* no share changes what it asks */
        check_all(flow);
        refusal = flow->refusal;
    }
    release(flow);
    return refusal;
}

#define CHOICES_MAX 5 /* one within the other; compilers make a loop for each of few */

static bool is_right(struct keel_elf_code *code, struct keel_function_code *part, int choices,
                     int *steps);

/* A question in a loop that has the same answer in all iterations may part it into loops of which
 * one runs: each answer is looked at alone. */
static bool answers_are_right(struct keel_elf_code *code, const struct keel_function_code *function,
                              const struct parts *parts, struct keel_function_code *part,
                              int choices, int *steps)
{
    bool right = parts->chooses;

    for (int side = 0; right && side < 2; side++) {
        *part = *function;
        for (int block = 0; block < function->block_count; block++) {
            if (parts->asks[block]) {
                keel_block_keep(part, block, side);
            }
        }
        right = is_right(code, part, choices, steps);
    }
    return right;
}

/* Where shares without iterations meet others, they are looked at by themselves. */
static bool empty_is_right(struct keel_elf_code *code, const struct keel_function_code *function,
                           const struct parts *parts, struct keel_function_code *part, int choices,
                           int *steps)
{
    if (parts->empty < 0) {
        return false;
    }
    *part = *function;
    keel_block_part(part, parts->empty);
    return is_right(code, part, choices, steps);
}

/* Whether parts may be right where the whole is refused so: what iterations do stays the same. */
static bool may_be_right(const char *why)
{
    static const char *const whys[] = {OUTSIDE_DEPENDS, OF_BARRIER, CALLERS_REGISTER, LEFT_BEFORE};

    for (size_t i = 0; i < sizeof whys / sizeof *whys; i++) {
        if (strcmp(why, whys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static struct keel_refusal check_parts(struct keel_elf_code *code,
                                       struct keel_function_code *function, int choices, int *steps)
{
    struct parts parts;
    struct keel_refusal refusal = check(code, function, &parts, steps);
    struct keel_function_code *part =
        refusal.why != NULL && may_be_right(refusal.why) && choices > 0 ? malloc(sizeof *part)
                                                                        : NULL;

    if (part != NULL && (empty_is_right(code, function, &parts, part, choices - 1, steps) ||
                         answers_are_right(code, function, &parts, part, choices - 1, steps))) {
        refusal = (struct keel_refusal){NULL, 0};
    }
    free(part);
    return refusal;
}

static bool is_right(struct keel_elf_code *code, struct keel_function_code *part, int choices,
                     int *steps)
{
    if (part->problem == NULL) {
        keel_function_code_find_loops(part);
    }
    return part->problem == NULL && check_parts(code, part, choices, steps).why == NULL;
}

struct keel_refusal keel_share_flow_check(struct keel_elf_code *code,
                                          struct keel_function_code *function)
{
    if (function->problem != NULL) {
        return (struct keel_refusal){function->problem, function->problem_at};
    }
    int steps = 0;
    return check_parts(code, function, CHOICES_MAX, &steps);
}
