/* The proof of a function, and of its parts. See share_values.h.
 *
 *   flow of values -> loops over the share -> flow with their trips -> checks
 *   refused -> the same for parts, all of which have to be right */
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* --- loops over the share --- */

/* Marks blocks that only run if the share has iterations. */
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

/* Whether `successor` is after a loop over the share that `block` is in or after. */
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

/* --- effects ---
 *
 * Checks that visible effects of a function do not depend on which thread runs which share. Effects
 * of iterations, totals of sums, barriers and stores of the last iteration have a rule each; any
 * other effect is refused. */

static bool is_total(const struct keel_flow_effect *effect)
{
    return effect->kind == EFFECT_TOTAL || effect->kind == EFFECT_EXCHANGE;
}

/* Whether a loop continues until the exchange has succeeded, and is left then. */
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
    bool is_old[SLOTS] = {[RAX] = true}; /* the old value from the exchange */
    for (int i = exchange->instruction + 1; i < it->first + it->count - 1; i++) {
        const cs_insn *now = function->instructions[i];
        const cs_x86_op *to = &now->detail->x86.operands[0], *from = to + 1;
        bool has_two = now->detail->x86.op_count == 2;
        int one = has_two && to->type == X86_OP_REG ? keel_code_location(to->reg) : -1;
        int other = has_two && from->type == X86_OP_REG ? keel_code_location(from->reg) : -1;
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

/* Whether a total is added once: by a locked instruction in no loop, or by an exchange in the loop
 * that retries it. */
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

/* Whether the value is the constant that the total, of no iteration, combines with memory. */
static bool is_constant_of(const struct keel_flow_effect *total,
                           const struct keel_share_value *value)
{
    return keel_share_is_common(value) && value->exact && value->symbol == total->symbol &&
           value->offset == total->offset && value->step.factor == 0;
}

/* Whether a share without iterations adds nothing to a total, or all others' initial value. */
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

/* Whether a share may leave its loop and end without a total that it could have reached: then which
 * shares do may depend on the totals of others. */
static bool leaves_out_total(const struct keel_flow *flow, uint32_t base)
{
    bool totals[KEEL_CODE_BLOCKS] = {false}, reached[KEEL_CODE_BLOCKS];

    for (int i = 0; i < flow->effect_count; i++) {
        if (is_total(&flow->effects[i]) && flow->effects[i].base == base) {
            totals[flow->effects[i].block] = true;
        }
    }
    for (int i = 0; i < flow->function->block_count; i++) {
        bool reaches_total = false;
        if (keel_flow_heads_share_loop(flow, i) && keel_flow_returns(flow, i, totals)) {
            keel_block_reach(flow->function, i, NULL, reached);
            for (int k = 0; k < flow->function->block_count; k++) {
                reaches_total = reaches_total || (totals[k] && (reached[k] || k == i));
            }
        }
        if (reaches_total) {
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

/* Whether shares need no wait at the barrier: before it, they have no effects, test nothing that
 * others may change, and their loads stay valid; or they have no effects after it. */
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

/* Loops without effects after the share may wait for a value that an iteration of another share
 * sets, and the same thread may have to run that share later. */
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

/* --- one function --- */

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
        keel_flow_run_block(flow, block);
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

static void release(struct keel_flow *flow)
{
    free(flow->in);
    free(flow->out);
    free(flow);
}

/* The instruction that compares a register or slot with a constant, or tests it with itself: the
 * difference determines its result. NULL for others. */
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

/* Whether the tested value is an unchanged load: sums may have had 32 bits or 64. */
static bool is_plain(const cs_insn *question, const struct keel_share_value *difference)
{
    int64_t with = question->id == X86_INS_CMP ? question->detail->x86.operands[1].imm : 0;

    return difference->exact && difference->offset == -with && difference->step.factor == 0 &&
           question->detail->x86.operands[0].size <= 4;
}

/* Marks the blocks in loops over the share that end with the first test that has the same result in
 * all iterations; returns false if there is none. */
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

/* Whether an edge reaches blocks that are also reached otherwise. */
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

/* The edge that only runs if the share has no iterations and reaches blocks that also run
 * otherwise; -1 if there is none. */
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

/* The parts of a refused function that may be checked separately. */
struct parts {
    bool asks[KEEL_CODE_BLOCKS]; /* by find_choice() */
    bool chooses;                /* find_choice() has returned true */
    int empty;                   /* by find_empty() */
};

static bool divides(const struct keel_function_code *function)
{
    bool found = false;

    for (int i = 0; i < function->instruction_count; i++) {
        unsigned id = function->instructions[i]->id;
        found = found || id == X86_INS_DIV || id == X86_INS_IDIV;
    }
    return found;
}

/* *steps: adds the instructions checked. */
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
    flow->in = calloc((size_t)function->block_count, sizeof *flow->in);
    flow->out = calloc((size_t)function->block_count, sizeof *flow->out);
    if (flow->in != NULL && flow->out != NULL) {
        keel_flow_find_fixed_point(flow, flow->scratch);
        find_guarded(flow);
        find_share_loops(flow);
        find_behind(flow);
        parts->empty = flow->refusal.why == NULL ? find_empty(flow) : -1;
        flow->has_shares = true;
        keel_flow_find_trips(flow, flow->scratch);
        parts->chooses = flow->refusal.why == NULL && !flow->stores_late &&
                         find_choice(flow, parts->asks); /* no share changes the tested value */
        check_all(flow);
        refusal = flow->refusal;
        if (refusal.why != NULL && strcmp(refusal.why, OUTSIDE_DEPENDS) == 0 &&
            !divides(function)) {
            refusal.why =
                "its iterations are not divided into a share for each thread, but perhaps "
                "into chunks, as by schedule(static,k)";
        }
    }
    release(flow);
    return refusal;
}

#define CHOICES_MAX 5 /* nested ones; compilers make loops for few */

static bool is_right(struct keel_elf_code *code, struct keel_function_code *part, int choices,
                     int *steps);

/* A test in a loop with the same result in all iterations may split it into loops of which one
 * runs: checks each result separately. */
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

/* Checks shares without iterations on copies of the blocks that other shares run, too. */
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

/* Whether parts may be right if the whole is refused so: iterations' effects are not refused. */
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
