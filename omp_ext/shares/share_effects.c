/* Whether what others see of a function stays the same, whoever runs which share. See
 * share_state.h.
 *
 *   effects of the loops' iterations, totals of sums, barriers, stores of the last iteration: each
 *   by its rule; all else is refused */
#include <limits.h>
#include <stddef.h>

#include "omp_ext/shares/share_state.h"

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
        if (keel_flow_heads_share_loop(flow, i) && keel_flow_returns(flow, i, totals)) {
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

void keel_flow_check_effects(struct keel_flow *flow)
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
