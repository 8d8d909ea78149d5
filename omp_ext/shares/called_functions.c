/* What iterations may call. See called_functions.h. */
#include "omp_ext/shares/called_functions.h"

#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX 200 /* that are read for one call */

/* Of the C and mathematical libraries, and of GCC's own: none keeps anything for its thread that a
 * program sees, but for errno. */
static const char *const known[] = {
    "__acos_finite",
    "__atan2_finite",
    "__exp_finite",
    "__gcov_reset",
    "__log_finite",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__pow_finite",
    "__printf_chk",
    "__snprintf_chk",
    "__sprintf_chk",
    "__sqrt_finite",
    "__stack_chk_fail",
    "_ZdaPv",
    "_ZdaPvm",
    "_ZdlPv",
    "_ZdlPvm",
    "_Znam",
    "_Znwm",
    "abort",
    "abs",
    "atof",
    "atoi",
    "calloc",
    "div",
    "exit",
    "fprintf",
    "fputc",
    "fputs",
    "free",
    "fwrite",
    "labs",
    "ldiv",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memset",
    "nanosleep",
    "printf",
    "putchar",
    "puts",
    "qsort",
    "realloc",
    "snprintf",
    "sprintf",
    "strchr",
    "strcmp",
    "strcpy",
    "strlen",
    "strncmp",
    "strncpy",
    "strtod",
    "strtol",
    "usleep",
    "vsnprintf",
    "GOMP_critical_start",
    "GOMP_critical_end",
    "GOMP_atomic_start",
    "GOMP_atomic_end",
    "GOMP_critical_name_start",
    "GOMP_critical_name_end",
    "__assert_fail",
    "_ZSt9terminatev",
};

/* With or without f or l at the end. */
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

bool keel_called_function_is_mathematical(const char *name)
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
        if (strcmp(name, known[i]) == 0) {
            return true;
        }
    }
    return keel_called_function_is_mathematical(name);
}

/* Functions of the file that a call reaches. */
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
            return "an iteration calls what keeps data of the thread's own";
        }
    }
    if (instruction->id == X86_INS_SYSCALL) {
        return "an iteration calls the system";
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
};

static bool scan_instruction(const cs_insn *instruction, void *context)
{
    struct scan *scan = context;

    scan->why = check_instruction(scan->code, scan->reached, instruction, scan->begin, scan->end);
    return scan->why == NULL;
}

const char *keel_called_function_refused(struct keel_elf_code *code, const cs_insn *call)
{
    struct reached reached = {.count = 0};
    struct scan scan = {code, &reached, 0, 0, check_transfer(code, &reached, call)};

    for (int i = 0; i < reached.count && scan.why == NULL; i++) {
        if (!keel_code_extent(code, reached.functions[i], &scan.begin, &scan.end)) {
            return "an iteration calls what is not known to be a function";
        }
        if (!keel_code_scan(code, scan.begin, scan.end, scan_instruction, &scan)) {
            scan.why = scan.why != NULL ? scan.why : "an instruction that is not known";
        }
    }
    return scan.why;
}
