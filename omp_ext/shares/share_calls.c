/* Effects of calls on values, and the functions that iterations may call. See share_state.h. */
#include <stdlib.h>
#include <string.h>

#include "omp_ext/shares/share_state.h"

/* --- functions that iterations may call: they do not depend on their thread --- */

#define FUNCTIONS_MAX 200 /* most functions that are read for one call */

/* Functions of the C, mathematical and GCC libraries: except for errno, none has thread-local state
 * that is visible to a program. */
static const struct {
    const char *name;
    int arguments, vectors; /* most in general registers, in vector registers */
} known[] = {{"GOMP_atomic_end", 0, 0},
             {"GOMP_atomic_start", 0, 0},
             {"GOMP_critical_end", 0, 0},
             {"GOMP_critical_name_end", 1, 0},
             {"GOMP_critical_name_start", 1, 0},
             {"GOMP_critical_start", 0, 0},
             {"_ZSt9terminatev", 0, 0},
             {"_ZdaPv", 1, 0},
             {"_ZdaPvm", 2, 0},
             {"_ZdlPv", 1, 0},
             {"_ZdlPvm", 2, 0},
             {"__acos_finite", 0, 1},
             {"__assert_fail", 6, 0},
             {"__atan2_finite", 0, 2},
             {"__divdc3", 0, 4},
             {"__divsc3", 0, 4},
             {"__exp_finite", 0, 1},
             {"__log_finite", 0, 1},
             {"__memcpy_chk", 4, 0},
             {"__memmove_chk", 4, 0},
             {"__memset_chk", 4, 0},
             {"__muldc3", 0, 4},
             {"__mulsc3", 0, 4},
             {"__popcountdi2", 1, 0},
             {"__pow_finite", 0, 2},
             {"__powidf2", 1, 1},
             {"__powisf2", 1, 1},
             {"__printf_chk", 6, 8},
             {"__snprintf_chk", 6, 8},
             {"__sprintf_chk", 6, 8},
             {"__sqrt_finite", 0, 1},
             {"__stack_chk_fail", 0, 0},
             {"abort", 0, 0},
             {"abs", 1, 0},
             {"atof", 1, 0},
             {"atoi", 1, 0},
             {"calloc", 2, 0},
             {"div", 2, 0},
             {"exit", 1, 0},
             {"fprintf", 6, 8},
             {"fputc", 2, 0},
             {"fputs", 2, 0},
             {"free", 1, 0},
             {"fwrite", 4, 0},
             {"labs", 1, 0},
             {"ldiv", 2, 0},
             {"malloc", 1, 0},
             {"memchr", 3, 0},
             {"memcmp", 3, 0},
             {"memcpy", 3, 0},
             {"memmove", 3, 0},
             {"memset", 3, 0},
             {"nanosleep", 2, 0},
             {"omp_set_lock", 1, 0},
             {"omp_unset_lock", 1, 0},
             {"printf", 6, 8},
             {"putchar", 1, 0},
             {"puts", 1, 0},
             {"realloc", 2, 0},
             {"snprintf", 6, 8},
             {"sprintf", 6, 8},
             {"strchr", 2, 0},
             {"strcmp", 2, 0},
             {"strcpy", 2, 0},
             {"strlen", 1, 0},
             {"strncmp", 3, 0},
             {"strncpy", 3, 0},
             {"strtod", 2, 0},
             {"strtol", 3, 0},
             {"usleep", 1, 0},
             {"vsnprintf", 6, 8}};

/* With or without the suffix f or l. */
static const char *const mathematical[] = {
    "acos",      "acosh", "asin",      "asinh", "atan",   "atan2",    "atanh",   "cabs",
    "carg",      "cbrt",  "ceil",      "cexp",  "clog",   "copysign", "cos",     "cosh",
    "cpow",      "csqrt", "ccos",      "csin",  "erf",    "erfc",     "exp",     "exp2",
    "expm1",     "fabs",  "fdim",      "floor", "fma",    "fmax",     "fmin",    "fmod",
    "frexp",     "hypot", "ilogb",     "ldexp", "lgamma", "llrint",   "llround", "log",
    "log10",     "log1p", "log2",      "logb",  "lrint",  "lround",   "modf",    "nearbyint",
    "nextafter", "pow",   "remainder", "rint",  "round",  "scalbn",   "sin",     "sincos",
    "sinh",      "sqrt",  "tan",       "tanh",  "tgamma", "trunc",
};

static bool is_mathematical(const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof mathematical / sizeof *mathematical; i++) {
        size_t stem = strlen(mathematical[i]);
        if (strncmp(name, mathematical[i], stem) == 0 &&
            (length == stem || (length == stem + 1 && (name[stem] == 'f' || name[stem] == 'l')))) {
            return true;
        }
    }
    return false;
}

static bool is_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            return true;
        }
    }
    return is_mathematical(name);
}

/* Functions of the file that are reached from a call. */
struct reached {
    uint64_t functions[FUNCTIONS_MAX];
    int count;
};

static const char *reach(struct reached *reached, uint64_t function)
{
    for (int i = 0; i < reached->count; i++) {
        if (reached->functions[i] == function) {
            return NULL;
        }
    }
    if (reached->count == FUNCTIONS_MAX) {
        return "an iteration calls too many functions";
    }
    reached->functions[reached->count++] = function;
    return NULL;
}

static const char *check_transfer(struct keel_elf_code *code, struct reached *reached,
                                  const cs_insn *instruction)
{
    uint64_t target;
    const char *name = keel_code_callee(code, instruction, &target);

    if (name != NULL) {
        return is_known(name) ? NULL : "an iteration calls a function of another file";
    }
    return target != 0 ? reach(reached, target) : "an iteration calls through a pointer";
}

static const char *check_instruction(struct keel_elf_code *code, struct reached *reached,
                                     const cs_insn *instruction, uint64_t begin, uint64_t end)
{
    const cs_x86 *x86 = &instruction->detail->x86;

    for (int i = 0; i < x86->op_count; i++) {
        const x86_op_mem *memory = &x86->operands[i].mem;
        if (x86->operands[i].type == X86_OP_MEM &&
            (memory->segment == X86_REG_FS || memory->segment == X86_REG_GS) &&
            !(memory->base == X86_REG_INVALID && memory->disp == 0x28)) {
            return "an iteration calls a function with thread-local data";
        }
    }
    if (keel_code_asks_thread(instruction)) {
        return "an instruction uses state of its thread";
    }
    if (instruction->id == X86_INS_CALL) {
        return check_transfer(code, reached, instruction);
    }
    if (keel_code_is_jump(instruction) &&
        (x86->operands[0].type != X86_OP_IMM || (uint64_t)x86->operands[0].imm < begin ||
         (uint64_t)x86->operands[0].imm >= end)) {
        return check_transfer(code, reached, instruction);
    }
    return NULL;
}

struct scan {
    struct keel_elf_code *code;
    struct reached *reached;
    uint64_t begin, end;
    const char *why;
    uint32_t writes;
    bool calls_others; /* of other files */
};

static bool scan_instruction(const cs_insn *instruction, void *context)
{
    struct scan *scan = context;
    const cs_x86 *x86 = &instruction->detail->x86;

    for (int i = 0; i < x86->op_count; i++) {
        int location =
            x86->operands[i].type == X86_OP_REG ? keel_code_location(x86->operands[i].reg) : -1;
        if (location >= 0 && location < 32 && (i == 0 || (x86->operands[i].access & CS_AC_WRITE))) {
            scan->writes |= UINT32_C(1) << location;
        }
    }
    for (int i = 0; i < instruction->detail->regs_write_count; i++) {
        int location = keel_code_location((x86_reg)instruction->detail->regs_write[i]);
        scan->writes |= location >= 0 && location < 32 ? UINT32_C(1) << location : 0;
    }
    uint64_t target;
    bool calls = instruction->id == X86_INS_CALL || instruction->id == X86_INS_JMP;
    scan->calls_others =
        scan->calls_others || (calls && keel_code_callee(scan->code, instruction, &target) != NULL);
    const char *why =
        check_instruction(scan->code, scan->reached, instruction, scan->begin, scan->end);
    scan->why = scan->why != NULL ? scan->why : why;
    return true;
}

/* Registers that the calling convention preserves, and those that a function may change. */
#define SAVED ((1u << RBX) | (1u << RSP) | (1u << RBP) | (0xfu << R12))
#define CLOBBERED (UINT32_MAX & ~SAVED)
#define REFUSED UINT32_MAX /* cached in place of the changed registers */

/* Kinds of cached numbers for a function. */
enum { KEPT_WRITES = 1, KEPT_READS /* plus the depth */ };

/* Scans all functions of the file that are reached from the call. Returns as call_refused(). */
static const char *scan_call(struct keel_elf_code *code, const cs_insn *call, uint32_t *writes)
{
    struct reached reached = {.count = 0};
    struct scan scan = {.code = code, .reached = &reached};

    scan.why = check_transfer(code, &reached, call);
    if (reached.count == 0) {
        *writes = CLOBBERED;
        return scan.why;
    }
    if (keel_code_recall(code, reached.functions[0], KEPT_WRITES, writes) && *writes != REFUSED) {
        return NULL;
    }
    for (int i = 0; i < reached.count; i++) {
        bool known = keel_code_extent(code, reached.functions[i], &scan.begin, &scan.end) &&
                     keel_code_scan(code, scan.begin, scan.end, scan_instruction, &scan);
        if (!known && scan.why == NULL) {
            scan.why = "an iteration calls code of no known function";
        }
    }
    *writes = scan.why != NULL ? REFUSED : scan.calls_others ? CLOBBERED : scan.writes & ~SAVED;
    keel_code_keep(code, reached.functions[0], KEPT_WRITES, *writes);
    return scan.why;
}

/* Why iterations may not call the function; NULL if they may. Functions of the same file are read
 * with all that they call. */
static const char *call_refused(struct keel_elf_code *code, const cs_insn *call)
{
    uint32_t writes;

    return scan_call(code, call, &writes);
}

/* The registers that the call may change: bits 0 to 15 for general registers in x86 order, 16 to 31
 * for vector registers. GCC relies on registers that functions of the same file do not change. */
static uint32_t writes_of_call(struct keel_elf_code *code, const cs_insn *call)
{
    uint64_t target;
    uint32_t writes;
    const char *name = keel_code_callee(code, call, &target);

    if (name != NULL || !keel_code_recall(code, target, KEPT_WRITES, &writes)) {
        scan_call(code, call, &writes);
    }
    return writes & ~SAVED;
}

/* --- arguments that functions read --- */

#define GENERAL_ARGUMENTS 0x3fu
#define ALL_ARGUMENTS 0x3fffu
#define DEPTH_MAX 4 /* of nested calls */

/* The bit of an argument's register; 0 for other registers. */
static unsigned argument_of(x86_reg reg)
{
    static const int general[] = {RDI, RSI, RDX, RCX, R8, R9};
    int location = keel_code_location(reg);

    for (unsigned i = 0; i < sizeof general / sizeof *general; i++) {
        if (location == general[i]) {
            return 1u << i;
        }
    }
    return location >= VECTORS && location < VECTORS + 8 ? 64u << (location - VECTORS) : 0;
}

/* Argument registers that an instruction other than a call reads and writes. */
static void arguments_of(const cs_insn *instruction, unsigned *reads, unsigned *writes)
{
    const cs_x86 *x86 = &instruction->detail->x86;
    bool clears = x86->op_count == 2 && x86->operands[0].type == X86_OP_REG &&
                  x86->operands[1].type == X86_OP_REG &&
                  x86->operands[0].reg == x86->operands[1].reg &&
                  (instruction->id == X86_INS_XOR || instruction->id == X86_INS_PXOR ||
                   instruction->id == X86_INS_XORPS || instruction->id == X86_INS_XORPD);

    *reads = *writes = 0;
    for (int i = 0; i < x86->op_count; i++) {
        const cs_x86_op *it = &x86->operands[i];
        if (it->type == X86_OP_MEM) {
            *reads |= argument_of(it->mem.base) | argument_of(it->mem.index);
        } else if (it->type == X86_OP_REG) {
            bool is_read = i > 0 || keel_code_keeps_part(instruction->id) || it->access == 0 ||
                           (it->access & CS_AC_READ) || it->size < 4;
            *reads |= is_read && !clears ? argument_of(it->reg) : 0;
            *writes |=
                i == 0 && it->size >= 4 && (it->access & CS_AC_WRITE) ? argument_of(it->reg) : 0;
        }
    }
    for (int i = 0; i < instruction->detail->regs_read_count; i++) {
        *reads |= argument_of((x86_reg)instruction->detail->regs_read[i]);
    }
}

static unsigned reads_of_call(struct keel_elf_code *code, const cs_insn *call, unsigned depth);

/* Argument registers that a block reads before it writes them; adds those written to *written. */
static unsigned reads_of_block(struct keel_elf_code *code,
                               const struct keel_function_code *function,
                               const struct keel_block *block, unsigned *written, unsigned depth)
{
    unsigned all = 0, reads, writes;

    for (int i = 0; i < block->count; i++) {
        const cs_insn *instruction = function->instructions[block->first + i];
        if (instruction->id == X86_INS_CALL || keel_code_ends_by_call(code, instruction)) {
            reads = reads_of_call(code, instruction, depth + 1);
            writes = 0; /* it may preserve them, and the compiler may rely on that */
        } else {
            arguments_of(instruction, &reads, &writes);
        }
        all |= reads & ~*written;
        *written |= writes;
    }
    return all;
}

static unsigned reads_of_function(struct keel_elf_code *code,
                                  const struct keel_function_code *function, unsigned depth)
{
    unsigned *written = malloc((size_t)function->block_count * sizeof *written);
    unsigned all = 0;
    bool changed = written != NULL;

    if (written == NULL) {
        return ALL_ARGUMENTS;
    }
    for (int i = 0; i < function->block_count; i++) {
        written[i] = i == 0 ? 0 : ALL_ARGUMENTS; /* at the begin of the block, on all paths to it */
    }
    while (changed) {
        changed = false;
        all = 0;
        for (int i = 0; i < function->order_count; i++) {
            const struct keel_block *block = &function->blocks[function->by_order[i]];
            unsigned behind = written[function->by_order[i]];
            all |= reads_of_block(code, function, block, &behind, depth);
            for (int side = 0; side < 2; side++) {
                int next = block->successors[side];
                if (next >= 0 && (written[next] & ~behind) != 0) {
                    written[next] &= behind;
                    changed = true;
                }
            }
        }
    }
    free(written);
    return all;
}

/* Vector arguments of a mathematical function: one, unless its name is listed. */
static unsigned vectors_of(const char *name)
{
    static const struct {
        const char *stem;
        unsigned count;
    } more[] = {{"atan2", 2},     {"copysign", 2}, {"fdim", 2},     {"fma", 3},
                {"fmax", 2},      {"fmin", 2},     {"fmod", 2},     {"hypot", 2},
                {"nextafter", 2}, {"pow", 2},      {"remainder", 2}};
    unsigned count = name[0] == 'c' && strncmp(name, "cbrt", 4) != 0 &&
                             strncmp(name, "ceil", 4) != 0 && strncmp(name, "cos", 3) != 0
                         ? 4 /* complex numbers */
                         : 1;

    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        size_t length = strlen(more[i].stem);
        if (strncmp(name, more[i].stem, length) == 0 && strlen(name) <= length + 1) {
            count = more[i].count;
        }
    }
    return ((1u << count) - 1) << 6;
}

/* The same in general registers: an exponent, or addresses of results. */
static unsigned generals_of(const char *name)
{
    static const struct {
        const char *stem;
        unsigned registers;
    } some[] = {{"frexp", 1}, {"ldexp", 1}, {"modf", 1}, {"scalbn", 1}, {"sincos", 3}};

    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (strncmp(name, some[i].stem, strlen(some[i].stem)) == 0) {
            return some[i].registers;
        }
    }
    return 0;
}

static unsigned reads_of_known(const char *name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) == 0) {
            return GENERAL_ARGUMENTS >> (6 - known[i].arguments) | ((1u << known[i].vectors) - 1)
                                                                       << 6;
        }
    }
    return is_mathematical(name) ? vectors_of(name) | generals_of(name) : ALL_ARGUMENTS;
}

static unsigned reads_of_target(struct keel_elf_code *code, uint64_t target, unsigned depth)
{
    struct keel_function_code *function =
        depth < DEPTH_MAX ? keel_function_code_read(code, target) : NULL;
    unsigned reads = ALL_ARGUMENTS;

    if (function != NULL) {
        if (function->problem == NULL) {
            reads = reads_of_function(code, function, depth);
        }
        keel_function_code_free(function);
    }
    return reads;
}

/* The arguments that the called function may read: bits 0 to 5 for general registers, rdi first; 6
 * to 13 for vector registers. */
static unsigned reads_of_call(struct keel_elf_code *code, const cs_insn *call, unsigned depth)
{
    uint64_t target;
    const char *name = keel_code_callee(code, call, &target);

    if (name != NULL || target == 0) {
        return name != NULL ? reads_of_known(name) : ALL_ARGUMENTS;
    }
    uint32_t reads;
    if (!keel_code_recall(code, target, KEPT_READS + depth, &reads)) {
        reads = reads_of_target(code, target, depth);
        keel_code_keep(code, target, KEPT_READS + depth, reads);
    }
    return reads;
}

/* Returns 1 for memset(), 2 for memcpy() or memmove(), 0 for other functions. */
static int fills_memory(struct keel_elf_code *code, const cs_insn *call)
{
    uint64_t target;
    const char *name = keel_code_callee(code, call, &target);

    if (name == NULL) {
        return 0;
    }
    return strcmp(name, "memset") == 0                                   ? 1
           : strcmp(name, "memcpy") == 0 || strcmp(name, "memmove") == 0 ? 2
                                                                         : 0;
}

/* Bytes of the result that the function writes, without reading, where the argument points to; 0 if
 * it is not known to. argument: number of the general register, 0: rdi. */
static int result_of_call(struct keel_elf_code *code, const cs_insn *call, int argument)
{
    static const struct {
        const char *name;
        int size, arguments;
    } results[] = {{"frexp", 4, 1}, {"frexpf", 4, 1}, {"modf", 8, 1},
                   {"modff", 4, 1}, {"sincos", 8, 2}, {"sincosf", 4, 2}};
    uint64_t target;
    const char *name = keel_code_callee(code, call, &target);

    for (size_t i = 0; name != NULL && i < sizeof results / sizeof *results; i++) {
        if (strcmp(name, results[i].name) == 0 && argument < results[i].arguments) {
            return results[i].size;
        }
    }
    return 0;
}

/* --- calls --- */

/* Whether a call that replaces the loop sets or copies for each iteration the number of bytes by
 * which its addresses move. */
static bool fills_share(struct keel_flow *flow)
{
    const struct keel_share_value *to = &flow->current.at[RDI], *from = &flow->current.at[RSI],
                                  *size = &flow->current.at[RDX];

    int fills = fills_memory(flow->code, keel_flow_now(flow));

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

/* Whether the argument is the address of a variable in the stack frame that the function only
 * sets. */
static bool returns_through(struct keel_flow *flow, const struct keel_share_value *address,
                            int argument)
{
    int size = result_of_call(flow->code, keel_flow_now(flow), argument);
    struct keel_share_value result = keel_share_of_kind(KEEL_VALUE_DATA);

    if (size == 0 || address->kind != KEEL_VALUE_FRAME || !address->exact) {
        return false;
    }
    keel_flow_write_slot(flow, address->offset, size, &result);
    return true;
}

#define STACK_ARGUMENTS 512 /* bytes that are checked */

/* Functions may have arguments on the stack, except for most of the libraries: no value of the
 * thread may be there. */
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
    unsigned reads = reads_of_call(flow->code, keel_flow_now(flow), 0);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++) {
        if (reads & (1u << i)) {
            keel_flow_let_out(flow, &flow->current.at[arguments[i]]);
        }
    }
    if (!flow->checking) {
        return;
    }
    const char *why = call_refused(flow->code, keel_flow_now(flow));
    if (why != NULL) {
        keel_flow_refuse(flow, why);
    }
    for (size_t i = 0; !fills && i < sizeof arguments / sizeof *arguments; i++) {
        if ((reads & (1u << i)) && !is_result[i]) {
            keel_flow_check_seen(flow, &flow->current.at[arguments[i]]);
        }
    }
}

/* Whether the present instruction is in another function that continues the region; Keel does not
 * know that its calls belong to the region. */
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
            keel_flow_refuse(flow, "the iterations are divided in a function that continues it");
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
            keel_flow_refuse(flow, "a barrier in a function that continues it");
        }
        flow->meets = true;
        keel_flow_meet(flow);
        keel_flow_add_effect(flow, EFFECT_BARRIER, NULL);
    } else if (!(is_extreme = keel_sum_call_extreme(flow, name, &extreme))) {
        check_call(flow);
    }
    uint32_t writes = writes_of_call(flow->code, keel_flow_now(flow));
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
