/* The flow of values through an outlined function. See share_values.h. */
#include "omp_ext/shares/share_values.h"

#include <stddef.h>
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* --- blocks --- */

/* The side of a jump that only runs if the share has iterations: by the compiler's comparison of
 * the size with 0. */
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
    struct keel_code_condition condition = keel_code_condition(jump);
    if (condition.of == KEEL_SIGN_ALONE) {
        return SIDE_NONE;
    }
    switch (value->size.factor > 0 ? condition.relation : keel_code_mirrored(condition.relation)) {
    case KEEL_MORE:
    case KEEL_UNEQUAL:
        return SIDE_TAKEN;
    case KEEL_AT_MOST:
    case KEEL_EQUAL:
        return SIDE_NOT_TAKEN;
    default:
        return SIDE_NONE;
    }
}

/* The side of a jump that only runs if two numbers are equal. */
static enum keel_flow_side side_of_equal(unsigned jump)
{
    return jump == X86_INS_JE ? SIDE_TAKEN : jump == X86_INS_JNE ? SIDE_NOT_TAKEN : SIDE_NONE;
}

/* The side of a jump that only runs for the share with the last iteration: its end is compared with
 * the number of iterations. */
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

/* The side of a jump that only runs if there are no iterations at all: their number is 0; or that
 * never runs, as a constant is not 0. */
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

bool keel_flow_heads_share_loop(const struct keel_flow *flow, int block)
{
    return flow->has_shares && flow->share_loop[block] == block;
}

bool keel_flow_returns(const struct keel_flow *flow, int block, const bool *shut)
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

/* Whether the block may leave the loop over the share before its end. */
static bool breaks(const struct keel_flow *flow, int block)
{
    const struct keel_block *it = &flow->function->blocks[block];

    for (int side = 0; side < 2; side++) {
        if (it->successors[side] >= 0 &&
            flow->share_loop[it->successors[side]] != flow->share_loop[block] &&
            keel_flow_returns(flow, it->successors[side], NULL)) {
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
        keel_flow_refuse(flow, OF_LONGER_SHARES); /* the other side may test the opposite */
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
        keel_flow_refuse(flow,
                         flags->kind == FLAGS_IS_LARGER ? DIVIDED_OTHERWISE : OUTSIDE_DEPENDS);
    }
}

/* Copies `to` to `state`, as far as locations are used. */
static void set_state(const struct keel_flow *flow, struct keel_flow_state *state,
                      const struct keel_flow_state *to)
{
    size_t used = (size_t)keel_flow_locations(flow) * sizeof *to->at;

    memcpy(state, to, offsetof(struct keel_flow_state, at) + used);
}

void keel_flow_run_block(struct keel_flow *flow, int block)
{
    const struct keel_block *it = &flow->function->blocks[block];

    flow->block = block;
    set_state(flow, &flow->current, &flow->in[block]);
    flow->instruction = it->first;
    if (keel_flow_heads_share_loop(flow, block) && flow->current.side != SIDE_NONE) {
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

/* After the jump on T < R: the relation is known on each side. */
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

/* After the loop over the share, values that move with its trips have moved by its size. */
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
            *value = keel_share_data(value, value); /* depends on the last iteration */
        } else if (value->kind == KEEL_VALUE_SUM) {
            int sum = value->symbol - SYMBOLS_OF_LOOPS;
            if (value->version != flow->variables[sum].version) {
                *value = keel_share_refused("an earlier value of a sum"); /* a copy of it */
            }
        }
    }
    state->wrapped = 0;
    keel_flow_set_common_flags(&state->flags);
    return true;
}

/* The state that passes from `block` to `successor`; false if there is none yet. */
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

/* --- variables of loops over the share: they change from trip to trip --- */

static uint16_t symbol_of_variable(const struct keel_flow *flow,
                                   const struct keel_flow_variable *variable)
{
    return (uint16_t)(SYMBOLS_OF_LOOPS + (variable - flow->variables));
}

/* The value of a variable at the head of the loop, with `entry` before the first trip. */
static struct keel_share_value variable_at_head(const struct keel_flow *flow,
                                                const struct keel_flow_variable *variable,
                                                const struct keel_share_value *entry)
{
    struct keel_share_value value = *entry;

    if (variable->is == VARIABLE_SUM) {
        value = keel_share_of_kind(KEEL_VALUE_SUM);
        value.symbol = symbol_of_variable(flow, variable);
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
    value.symbol = symbol_of_variable(flow, variable);
    value.offset = 0;
    value.step = (struct keel_coefficient){0, 0};
    return value;
}

/* The growth of a linear value in a trip; false if it is not known or changes. */
static bool growth(const struct keel_share_value *head, const struct keel_share_value *back,
                   struct keel_coefficient *step)
{
    struct keel_share_value same = *back;
    int64_t offset = (int64_t)((uint64_t)back->offset - (uint64_t)head->offset);

    same.offset = head->offset;
    same.step = head->step;
    same.base = head->base;
    if (offset != 0 || !keel_share_is_common(head)) {
        same.version = head->version; /* otherwise it counts equal bytes */
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

/* Whether the data that a trip has loaded follow those before it. */
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

/* The change of a variable that was `head` at the head of the loop and is `back` at its return,
 * with the state there. */
static struct keel_flow_variable
variable_changed(const struct keel_flow_variable *variable, uint16_t symbol,
                 const struct keel_share_value *entry, const struct keel_share_value *head,
                 const struct keel_share_value *back, const struct keel_flow_state *state)
{
    struct keel_flow_variable now = *variable;

    if (back->kind == KEEL_VALUE_UNKNOWN) {
        now.is = VARIABLE_CARRIED; /* if it is read at all */
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

/* Whether nothing is known of a value, as in most locations. */
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

/* Whether two linear values differ by a number. */
static bool differs_by_number(const struct keel_share_value *a, const struct keel_share_value *b)
{
    struct keel_share_value one = *a, other = *b;

    one.lacks_rest = other.lacks_rest = false;
    struct keel_share_value difference = keel_share_subtract(&one, &other, 0);
    return a->kind == KEEL_VALUE_LINEAR && b->kind == KEEL_VALUE_LINEAR &&
           keel_share_is_common(&difference) && !keel_share_value_equals(a, b);
}

/* Whether the last iteration of a loop determines which of two values follows it: not for the same
 * memory loaded twice. */
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
        bool differs = state->side != more->side && differs_by_number(&state->at[i], &more->at[i]);
        bool versions = state->at[i].kind == KEEL_VALUE_SUM && more->at[i].kind == KEEL_VALUE_SUM &&
                        state->at[i].version != more->at[i].version;
        state->at[i] =
            differs ? keel_share_refused("a value shows which shares are longer")
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

/* Joins the states at the begin of a block: from predecessors within the loop of `header`, or from
 * those outside of it; header -1: from all. */
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
    bool heads = keel_flow_heads_share_loop(flow, block);

    join_before(flow, block, heads ? block : -1, false, state, scratch);
    for (int i = 0; heads && state->reached && i < flow->variable_count; i++) {
        const struct keel_flow_variable *variable = &flow->variables[i];
        if (variable->block == block) {
            struct keel_share_value *value = &state->at[variable->location];
            *value = variable_at_head(flow, variable, value);
        }
    }
    if (heads) { /* flags are those of the previous trip */
        state->wrapped = 0;
        keel_flow_set_common_flags(&state->flags);
        state->flags.kind = FLAGS_VALUE;
        state->flags.value = keel_share_refused(CARRIED);
    }
}

/* Whether a location is part of a slot with a known value. */
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

/* Whether a value has changed in the loop, or may have without being noticed. */
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

/* Updates variables by the state that returns to the head of a loop; true if they changed. */
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
                variable_changed(variable, symbol_of_variable(flow, variable), &entry->at[i],
                                 &head->at[i], &back->at[i], back);
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
        state->at[i].version = is_callers ? KEEL_SHARE_LOADED(1) : 0; /* preserved */
    }
    state->at[RDI].base = KEEL_SHARE_REGION;
    state->at[RSP] = keel_share_of_kind(KEEL_VALUE_FRAME);
    state->at[RSP].exact = true;
    state->flags.kind = FLAGS_VALUE;
    state->flags.value = keel_share_refused(CALLERS_REGISTER);
}

void keel_flow_find_fixed_point(struct keel_flow *flow, struct keel_flow_state *scratch)
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
            keel_flow_run_block(flow, block);
            set_state(flow, &flow->out[block], &flow->current);
        }
    }
}

void keel_flow_find_trips(struct keel_flow *flow, struct keel_flow_state *scratch)
{
    bool more = true;

    while (more && flow->refusal.why == NULL) {
        flow->trips_found = false;
        keel_flow_find_fixed_point(flow, scratch);
        more = flow->trips_found; /* then all is repeated with them */
        for (int block = 0; block < flow->function->block_count; block++) {
            if (keel_flow_heads_share_loop(flow, block)) {
                more = learn_variables(flow, block, scratch) || more;
            }
        }
    }
}
