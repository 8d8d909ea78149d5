/* What calls leave of values, and whether iterations may call that. See share_state.h. */
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* Whether a call that was made of the loop sets, or copies, as many bytes for each iteration as its
 * addresses move by. */
static bool fills_share(struct keel_flow *flow)
{
    const struct keel_share_value *to = &flow->current.at[RDI], *from = &flow->current.at[RSI],
                                  *size = &flow->current.at[RDX];

    int fills = keel_called_function_fills(flow->code, keel_flow_now(flow));

    return fills != 0 && !keel_flow_in_share_loop(flow) && !to->lacks_rest && !from->lacks_rest &&
           !size->lacks_rest && to->kind == KEEL_VALUE_LINEAR && to->start.factor > 0 &&
           to->size.factor == 0 && size->kind == KEEL_VALUE_LINEAR && size->exact &&
           size->symbol == 0 && size->offset == 0 && size->step.factor == 0 &&
           size->start.factor == 0 && size->size.factor == to->start.factor &&
           size->size.symbol == to->start.symbol &&
           ((keel_share_is_common(from) && fills == 1) ||
            (from->kind == KEEL_VALUE_LINEAR && from->start.factor == to->start.factor &&
             from->start.symbol == to->start.symbol && from->size.factor == 0));
}

/* Whether the argument is the address of a variable of the thread's own that the function sets, and
 * does no more with. */
static bool returns_through(struct keel_flow *flow, const struct keel_share_value *address,
                            int argument)
{
    int size = keel_called_function_result(flow->code, keel_flow_now(flow), argument);
    struct keel_share_value result = keel_share_of_kind(KEEL_VALUE_DATA);

    if (size == 0 || address->kind != KEEL_VALUE_FRAME || !address->exact) {
        return false;
    }
    keel_flow_write_slot(flow, address->offset, size, &result);
    return true;
}

#define STACK_ARGUMENTS 512 /* bytes that are looked at */

/* Functions may have arguments on the stack, but for most of the libraries': nothing of the
 * thread's own stands where these would. */
static void check_stack_arguments(struct keel_flow *flow)
{
    uint64_t target;
    int64_t bottom = flow->current.at[RSP].offset;
    const char *name = keel_code_callee(flow->code, keel_flow_now(flow), &target);

    if (name != NULL && strstr(name, "printf") == NULL && name[strlen(name) - 1] != 'l') {
        return;
    }
    for (int i = 0; i < flow->slot_count; i++) {
        const struct keel_share_value *value = &flow->current.at[SLOTS + i];
        if (flow->slots[i].offset >= bottom && flow->slots[i].offset < bottom + STACK_ARGUMENTS &&
            value->kind != KEEL_VALUE_UNKNOWN && value->kind != KEEL_VALUE_CANARY &&
            (value->kind != KEEL_VALUE_REFUSED || strcmp(value->why, CALLERS_REGISTER) != 0)) {
            keel_flow_let_out(flow, value);
            keel_flow_check_seen(flow, value);
        }
    }
}

static void check_call(struct keel_flow *flow)
{
    bool is_result[14];
    static const int arguments[] = {RDI,         RSI,         RDX,         RCX,         R8,
                                    R9,          VECTORS,     VECTORS + 1, VECTORS + 2, VECTORS + 3,
                                    VECTORS + 4, VECTORS + 5, VECTORS + 6, VECTORS + 7};
    bool fills = fills_share(flow);

    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        is_result[i] = returns_through(flow, &flow->current.at[arguments[i]], (int)i);
    }
    check_stack_arguments(flow);
    keel_flow_add_effect(flow, fills ? EFFECT_FILL : EFFECT_CALL, NULL);
    unsigned reads = keel_called_function_reads(flow->code, keel_flow_now(flow));
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (reads & (1u << i)) {
            keel_flow_let_out(flow, &flow->current.at[arguments[i]]);
        }
    }
    if (!flow->checking) {
        return;
    }
    const char *why = keel_called_function_refused(flow->code, keel_flow_now(flow));
    if (why != NULL) {
        keel_flow_refuse(flow, why);
    }
    for (size_t i = 0; !fills && i < sizeof arguments / sizeof *arguments; i++) {
        if ((reads & (1u << i)) && !is_result[i]) {
            keel_flow_check_seen(flow, &flow->current.at[arguments[i]]);
        }
    }
}

/* Whether what runs now is in another function, which the region's goes on in; Keel does not know
 * that its calls are the region's. */
static bool is_outside(const struct keel_flow *flow)
{
    uint64_t address = keel_flow_now(flow)->address;

    return address < flow->function->begin || address >= flow->function->end;
}

void keel_flow_call(struct keel_flow *flow)
{
    uint64_t target;
    const char *name = keel_code_callee(flow->code, keel_flow_now(flow), &target);
    struct keel_share_value extreme;
    bool is_extreme = false;
    bool asks_thread = name != NULL && strcmp(name, "omp_get_thread_num") == 0;
    bool asks_team = name != NULL && strcmp(name, "omp_get_num_threads") == 0;
    struct keel_share_value result = keel_share_of_kind(asks_thread ? KEEL_VALUE_THREAD
                                                        : asks_team ? KEEL_VALUE_TEAM
                                                                    : KEEL_VALUE_DATA);

    if (name != NULL && strcmp(name, "__stack_chk_fail") == 0) {
        return;
    }
    if (asks_thread || asks_team) {
        if (is_outside(flow)) {
            keel_flow_refuse(flow, "the iterations are divided in a function that it goes on in");
        }
        if (keel_flow_in_share_loop(flow)) {
            keel_flow_refuse(flow, asks_thread ? "an iteration asks for the thread number"
                                               : "an iteration asks for the team size");
        }
    } else if (name != NULL && strncmp(name, "GOMP_atomic_", 12) == 0) {
        flow->current.locked = strcmp(name, "GOMP_atomic_start") == 0;
    } else if (keel_code_is_barrier(flow->code, keel_flow_now(flow)) &&
               !keel_flow_in_share_loop(flow)) {
        if (keel_flow_now(flow)->id == X86_INS_CALL && is_outside(flow)) {
            keel_flow_refuse(flow, "a barrier in a function that it goes on in");
        }
        flow->meets = true;
        keel_flow_meet(flow);
        keel_flow_add_effect(flow, EFFECT_BARRIER, NULL);
    } else if (!(is_extreme = keel_sum_call_extreme(flow, name, &extreme))) {
        check_call(flow);
    }
    uint32_t writes = keel_called_function_writes(flow->code, keel_flow_now(flow));
    for (int i = 0; i < SLOTS; i++) {
        if (i >= 32 || (writes & (UINT32_C(1) << i))) {
            flow->current.at[i] = keel_share_of_kind(KEEL_VALUE_UNKNOWN);
        }
    }
    static const int results[] = {RAX, RDX, VECTORS, VECTORS + 1};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        struct keel_share_value *left = &flow->current.at[results[i]];
        if (left->kind == KEEL_VALUE_UNKNOWN && (i == 0 || !(asks_thread || asks_team))) {
            *left = result;
        }
    }
    if (is_extreme) {
        flow->current.at[VECTORS] = extreme;
    }
    keel_flow_set_common_flags(&flow->current.flags);
}
