/* Whether loops over a share run each of its iterations once. See share_state.h.
 *
 *   compared: r = finished trips + trips ahead - size of the share
 *
 * A loop may test for its end before or after an iteration. Visible effects of iterations may be on
 * one side of the test only: otherwise the last ones would be done in part. */
#include <math.h>

#include "omp_ext/shares/share_state.h"

#define MULTIPLE_MAX 65536 /* shares of that many iterations wrap around in 32 bits */
#define OTHERS "the loop goes over other iterations than those of its share"

static bool stays(const struct keel_flow *flow, int block, int side)
{
    int successor = flow->function->blocks[block].successors[side];

    return successor >= 0 && flow->share_loop[successor] == flow->share_loop[block];
}

bool keel_flow_ends_loop(const struct keel_flow *flow, int block)
{
    const struct keel_share_value *value = &flow->current.flags.value;
    bool leaves = flow->has_shares && flow->share_loop[block] >= 0 &&
                  stays(flow, block, 0) != stays(flow, block, 1);

    return leaves && flow->current.flags.kind == FLAGS_VALUE && value->kind == KEEL_VALUE_LINEAR &&
           value->start.factor == 0 && value->trip.factor != 0 && !value->lacks_rest &&
           (!value->cut || flow->divides_by == 4) && value->trip.factor == -value->size.factor &&
           value->trip.symbol == value->size.symbol;
}

/* --- tests for the end --- */

/* Whether a number may be below 0, which is large in unsigned comparisons. */
static bool may_be_negative(const struct keel_flow *flow, const cs_x86_op *operand)
{
    int location = operand->type == X86_OP_REG ? keel_code_location(operand->reg) : -1;
    const struct keel_share_value *value = &flow->current.at[location >= 0 ? location : 0];

    return location >= 0 && value->kind == KEEL_VALUE_LINEAR && value->exact &&
           value->symbol == 0 && value->step.factor == 0 && (int32_t)value->offset < 0;
}

/* Whether it compares numbers of eight bytes, such as pointers and numbers that are never large. */
static bool asks_long(const cs_insn *asks)
{
    return asks != NULL && (asks->id == X86_INS_CMP || asks->id == X86_INS_TEST) &&
           asks->detail->x86.operands[0].size == 8;
}

bool keel_flow_asks_otherwise(const struct keel_flow *flow, int block, bool for_any)
{
    const struct keel_block *it = &flow->function->blocks[block];
    const cs_insn *asks = keel_block_asks(flow->function, block);
    unsigned jump = flow->function->instructions[it->first + it->count - 1]->id;
    struct keel_code_condition condition = keel_code_condition(jump);
    bool as_signed = condition.of == KEEL_SIGNED || condition.of == KEEL_SIGN_ALONE;
    bool as_unsigned = condition.of == KEEL_UNSIGNED;

    bool cuts_sign = for_any && flow->may_be_negative && flow->divides_by == 4;
    if (for_any && flow->may_be_negative && (jump == X86_INS_JE || jump == X86_INS_JNE)) {
        return true; /* a negative number of iterations differs from 0 */
    }
    return asks_long(asks) ? cuts_sign && (as_signed || as_unsigned)
                           : (as_signed && flow->has_unsigned) || (as_unsigned && flow->has_signed);
}

/* The relation to 0 for which the instruction jumps. */
static enum keel_code_relation relation_of(const struct keel_flow *flow, int block)
{
    const struct keel_block *it = &flow->function->blocks[block];
    const cs_insn *asks = keel_block_asks(flow->function, block);
    struct keel_code_condition condition =
        keel_code_condition(flow->function->instructions[it->first + it->count - 1]->id);
    bool compares = asks != NULL && (asks->id == X86_INS_CMP || asks->id == X86_INS_SUB) &&
                    !may_be_negative(flow, &asks->detail->x86.operands[0]) &&
                    !may_be_negative(flow, &asks->detail->x86.operands[1]);

    return keel_flow_asks_otherwise(flow, block, false) ||
                   (condition.of == KEEL_UNSIGNED && !compares)
               ? KEEL_NOT_KNOWN
               : condition.relation;
}

/* The relation of r to 0 for which the jump leaves the loop. */
static enum keel_code_relation leaves_where(const struct keel_flow *flow, int block)
{
    enum keel_code_relation relation = relation_of(flow, block);

    relation = stays(flow, block, 0) ? keel_code_opposite(relation) : relation;
    return flow->current.flags.value.trip.factor < 0 ? keel_code_mirrored(relation) : relation;
}

/* Whether the test is of 4 bytes, in which multiples of the factor repeat. */
static bool meets_again(const struct keel_flow *flow, int block)
{
    const cs_insn *asks = keel_block_asks(flow->function, block);
    bool is_long =
        asks != NULL && asks->detail->x86.op_count > 0 && asks->detail->x86.operands[0].size == 8;

    return !is_long && fmod(flow->current.flags.value.trip.factor, MULTIPLE_MAX) == 0;
}

/* Whether a loop that is left if `relation` holds for r is left with 0 <= r < 1, without trips
 * ahead. */
static bool fits(enum keel_code_relation relation, double ahead)
{
    switch (relation) {
    case KEEL_EQUAL:
        return ahead == 0;
    case KEEL_AT_LEAST:
        return ahead >= 0 && ahead < 1;
    case KEEL_MORE:
        return ahead > 0 && ahead <= 1;
    default:
        return false;
    }
}

void keel_flow_note_end(struct keel_flow *flow, int block)
{
    const struct keel_share_value *value = &flow->current.flags.value;
    enum keel_code_relation relation = leaves_where(flow, block);
    bool by_number = value->trip.symbol == 0;
    bool is_known =
        value->exact && value->symbol == 0 &&
        (value->step.factor == 0 || (!by_number && value->step.symbol == value->trip.symbol)) &&
        (by_number || value->offset == 0);
    double ahead = (by_number ? (double)value->offset : value->step.factor) / value->trip.factor;
    bool before = is_known && fits(relation, ahead), behind = is_known && fits(relation, ahead - 1);

    flow->ends[block] = before ? END_BEFORE : behind ? END_BEHIND : END_NONE;
    if (flow->ends[block] == END_NONE || meets_again(flow, block) ||
        flow->function->blocks[block].loop != flow->share_loop[block]) {
        keel_flow_refuse(flow, OTHERS);
    }
}

/* --- iterations --- */

/* Marks the blocks after one in its loop over the share, in the same trip. */
static void reach_in_trip(const struct keel_flow *flow, int block, bool reached[KEEL_CODE_BLOCKS])
{
    int head = flow->share_loop[block];
    bool shut[KEEL_CODE_BLOCKS];

    for (int i = 0; i < flow->function->block_count; i++) {
        shut[i] = i != block && (i == head || flow->share_loop[i] != head);
    }
    keel_block_reach(flow->function, block, shut, reached);
    for (int i = 0; i < flow->function->block_count; i++) {
        reached[i] = reached[i] && i != head && flow->share_loop[i] == head;
    }
}

/* Whether a trip may return to the head without a test for the end. */
static bool goes_round(const struct keel_flow *flow, int head)
{
    bool shut[KEEL_CODE_BLOCKS], reached[KEEL_CODE_BLOCKS];

    for (int i = 0; i < flow->function->block_count; i++) {
        shut[i] = flow->share_loop[i] != head || flow->ends[i] != END_NONE;
    }
    keel_block_reach(flow->function, head, shut, reached);
    return reached[head];
}

/* Whether work of an iteration is done before the end of the block. */
static bool works_before(const struct keel_flow *flow, int block)
{
    bool reached[KEEL_CODE_BLOCKS], works = flow->works[block];

    for (int i = 0; i < flow->function->block_count && !works; i++) {
        if (flow->works[i] && flow->share_loop[i] == flow->share_loop[block]) {
            reach_in_trip(flow, i, reached);
            works = reached[block];
        }
    }
    return works;
}

/* Whether work of an iteration is done after the end of the block. */
static bool works_behind(const struct keel_flow *flow, int block)
{
    bool reached[KEEL_CODE_BLOCKS], works = false;

    reach_in_trip(flow, block, reached);
    for (int i = 0; i < flow->function->block_count; i++) {
        works = works || (reached[i] && flow->works[i]);
    }
    return works;
}

void keel_flow_check_ends(struct keel_flow *flow)
{
    const struct keel_function_code *function = flow->function;

    for (int block = 0; block < function->block_count; block++) {
        const struct keel_block *it = &function->blocks[block];
        bool heads = flow->share_loop[block] == block && it->order >= 0;
        bool is_right = flow->ends[block] == END_NONE
                            ? !heads || !goes_round(flow, block)
                            : (flow->ends[block] == END_BEHIND ? !works_behind(flow, block)
                                                               : !works_before(flow, block));
        if (!is_right) {
            keel_flow_refuse_at(flow, OTHERS,
                                function->instructions[it->first + it->count - 1]->address);
        }
    }
}
