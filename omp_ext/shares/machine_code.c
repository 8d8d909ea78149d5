/* Reading machine code. See machine_code.h. */
#include "omp_ext/shares/machine_code.h"

#include <stdlib.h>
#include <string.h>

/* --- single instructions --- */

bool keel_code_asks_thread(const cs_insn *instruction)
{
    switch (instruction->id) {
    case X86_INS_LDMXCSR:
    case X86_INS_STMXCSR:
    case X86_INS_VLDMXCSR:
    case X86_INS_VSTMXCSR:
    case X86_INS_FLDCW:
    case X86_INS_FNSTCW:
    case X86_INS_FNSTSW:
    case X86_INS_FLDENV:
    case X86_INS_FNSTENV:
    case X86_INS_FXSAVE:
    case X86_INS_FXSAVE64:
    case X86_INS_RDTSC:
    case X86_INS_RDTSCP:
    case X86_INS_CPUID:
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
    case X86_INS_INT:
    case X86_INS_RDFSBASE:
    case X86_INS_RDGSBASE:
    case X86_INS_WRFSBASE:
    case X86_INS_WRGSBASE:
    case X86_INS_RDPMC:
    case X86_INS_XGETBV:
    case X86_INS_XSAVE:
    case X86_INS_XSAVE64:
    case X86_INS_XSAVEOPT:
    case X86_INS_XSAVEOPT64:
    case X86_INS_FNSAVE:
    case X86_INS_LSL:
    case X86_INS_STR:
        return true;
    default:
        return false;
    }
}

bool keel_code_keeps_part(unsigned id)
{
    switch (id) {
    case X86_INS_BSF:
    case X86_INS_BSR:
    case X86_INS_ADOX:
    case X86_INS_ADCX:
    case X86_INS_VGATHERDPD:
    case X86_INS_VGATHERDPS:
    case X86_INS_VGATHERQPD:
    case X86_INS_VGATHERQPS:
    case X86_INS_VPGATHERDD:
    case X86_INS_VPGATHERDQ:
    case X86_INS_VPGATHERQD:
    case X86_INS_VPGATHERQQ:
        return true;
    default:
        return false;
    }
}

bool keel_code_is_jump(const cs_insn *instruction)
{
    for (int i = 0; i < instruction->detail->groups_count; i++) {
        if (instruction->detail->groups[i] == X86_GRP_JUMP) {
            return true;
        }
    }
    return false;
}

bool keel_code_scan(struct keel_elf_code *code, uint64_t begin, uint64_t end,
                    bool (*visit)(const cs_insn *instruction, void *context), void *context)
{
    size_t size = 0;
    const uint8_t *bytes = keel_code_bytes(code, begin, &size);
    cs_insn *instruction = cs_malloc(keel_elf_code_disassembler(code));
    bool known = bytes != NULL && instruction != NULL;

    while (known && begin < end) {
        known =
            cs_disasm_iter(keel_elf_code_disassembler(code), &bytes, &size, &begin, instruction) &&
            visit(instruction, context);
    }
    if (instruction != NULL) {
        cs_free(instruction, 1);
    }
    return known;
}

/* --- the instructions of a function --- */

void keel_code_problem(struct keel_function_code *function, const char *text, uint64_t at)
{
    if (function->problem == NULL) {
        function->problem = text;
        function->problem_at = at;
    }
}

static int by_address(const void *a, const void *b)
{
    const cs_insn *left = *(cs_insn *const *)a, *right = *(cs_insn *const *)b;
    return (left->address > right->address) - (left->address < right->address);
}

int keel_code_find(const struct keel_function_code *function, uint64_t address)
{
    int low = 0, high = function->instruction_count;

    while (low < high) {
        int middle = (low + high) / 2;
        if (function->instructions[middle]->address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < function->instruction_count && function->instructions[low]->address == address
               ? low
               : -1;
}

bool keel_code_is_conditional(const cs_insn *instruction)
{
    return keel_code_is_jump(instruction) && instruction->id != X86_INS_JMP;
}

bool keel_code_is_barrier(struct keel_elf_code *code, const cs_insn *instruction)
{
    uint64_t target;
    bool calls = instruction->id == X86_INS_CALL || instruction->id == X86_INS_JMP;
    const char *name = calls ? keel_code_callee(code, instruction, &target) : NULL;

    return name != NULL && strcmp(name, "GOMP_barrier") == 0;
}

bool keel_code_ends_by_call(struct keel_elf_code *code, const cs_insn *instruction)
{
    uint64_t target;

    return instruction->id == X86_INS_JMP && keel_code_callee(code, instruction, &target) != NULL;
}

bool keel_code_ends_always(struct keel_elf_code *code, const cs_insn *instruction)
{
    static const char *const ending[] = {"abort",          "exit",
                                         "_exit",          "__stack_chk_fail",
                                         "__assert_fail",  "_ZSt9terminatev",
                                         "_Unwind_Resume", "__cxa_throw_bad_array_new_length",
                                         "__cxa_rethrow",  "__cxa_throw"};
    uint64_t target;
    const char *name;

    if (instruction->id == X86_INS_RET || instruction->id == X86_INS_HLT ||
        instruction->id == X86_INS_UD2) {
        return true;
    }
    if (instruction->id != X86_INS_CALL ||
        (name = keel_code_callee(code, instruction, &target)) == NULL) {
        return false;
    }
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        if (strcmp(name, ending[i]) == 0) {
            return true;
        }
    }
    return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_") != NULL;
}

struct decoding {
    struct keel_elf_code *code;
    struct keel_function_code *function;
    uint64_t pending[KEEL_CODE_BLOCKS]; /* addresses to go on at */
    int pending_count;
    uint64_t *seen; /* of instructions: a hash table */
};

#define SEEN 16384 /* a power of two, more than twice KEEL_CODE_INSTRUCTIONS */

static bool see(struct decoding *decoding, uint64_t address)
{
    size_t at = (address * 0x9e3779b97f4a7c15u) >> 50;

    for (; decoding->seen[at] != 0; at = (at + 1) % SEEN) {
        if (decoding->seen[at] == address) {
            return false;
        }
    }
    decoding->seen[at] = address;
    return true;
}

static void go_on(struct decoding *decoding, uint64_t address)
{
    if (decoding->pending_count == KEEL_CODE_BLOCKS) {
        keel_code_problem(decoding->function, "the function is too large", address);
        return;
    }
    decoding->pending[decoding->pending_count++] = address;
}

/* Returns whether the next instruction follows. */
static bool follow(struct decoding *decoding, const cs_insn *instruction)
{
    const cs_x86 *x86 = &instruction->detail->x86;

    if (keel_code_is_jump(instruction)) {
        if (x86->operands[0].type == X86_OP_IMM) {
            if (keel_code_ends_by_call(decoding->code, instruction)) {
                return false;
            }
            go_on(decoding, (uint64_t)x86->operands[0].imm);
        } else {
            keel_code_problem(decoding->function, "a jump through a table or pointer",
                              instruction->address);
        }
        return instruction->id != X86_INS_JMP;
    }
    return !keel_code_ends_always(decoding->code, instruction);
}

static void decode_from(struct decoding *decoding, uint64_t address)
{
    struct keel_function_code *function = decoding->function;
    size_t size;
    const uint8_t *bytes = keel_code_bytes(decoding->code, address, &size);

    while (function->problem == NULL && see(decoding, address)) {
        if (bytes == NULL || function->instruction_count == KEEL_CODE_INSTRUCTIONS) {
            keel_code_problem(function,
                              bytes == NULL ? "a jump to what is not code"
                                            : "the function is too large",
                              address);
            return;
        }
        cs_insn *instruction = cs_malloc(keel_elf_code_disassembler(decoding->code));
        uint64_t here = address;
        if (instruction == NULL || !cs_disasm_iter(keel_elf_code_disassembler(decoding->code),
                                                   &bytes, &size, &address, instruction)) {
            keel_code_problem(function, "an instruction that is not known", here);
            if (instruction != NULL) {
                cs_free(instruction, 1);
            }
            return;
        }
        function->instructions[function->instruction_count++] = instruction;
        if (!follow(decoding, instruction)) {
            return;
        }
    }
}

/* What only unwinding reaches: code in the function's extent that nothing jumps to. */
static void check_extent(struct decoding *decoding)
{
    struct keel_function_code *function = decoding->function;
    uint64_t address = function->begin;
    cs_insn *instruction = cs_malloc(keel_elf_code_disassembler(decoding->code));
    size_t size;

    while (instruction != NULL && function->problem == NULL && address < function->end) {
        int at = keel_code_find(function, address);
        if (at >= 0) {
            address += function->instructions[at]->size;
            continue;
        }
        uint64_t here = address;
        const uint8_t *bytes = keel_code_bytes(decoding->code, address, &size);
        if (bytes == NULL ||
            !cs_disasm_iter(keel_elf_code_disassembler(decoding->code), &bytes, &size, &address,
                            instruction) ||
            instruction->id != X86_INS_NOP) {
            keel_code_problem(function, "code that only exceptions reach", here);
        }
    }
    if (instruction != NULL) {
        cs_free(instruction, 1);
    }
}

static void decode(struct decoding *decoding)
{
    struct keel_function_code *function = decoding->function;

    go_on(decoding, function->begin);
    while (decoding->pending_count > 0 && function->problem == NULL) {
        decode_from(decoding, decoding->pending[--decoding->pending_count]);
    }
    qsort(function->instructions, (size_t)function->instruction_count,
          sizeof *function->instructions, by_address);
    for (int i = 1; i < function->instruction_count; i++) {
        const cs_insn *before = function->instructions[i - 1];
        if (before->address + before->size > function->instructions[i]->address) {
            keel_code_problem(function, "instructions that overlap", before->address);
        }
    }
    check_extent(decoding);
}

static bool find_extent(struct keel_elf_code *code, struct keel_function_code *function)
{
    uint64_t begin;

    return keel_code_extent(code, function->begin, &begin, &function->end) &&
           begin == function->begin;
}

void keel_function_code_decode(struct keel_elf_code *code, struct keel_function_code *function)
{
    struct decoding *decoding = calloc(1, sizeof *decoding);
    uint64_t *seen = calloc(SEEN, sizeof *seen);

    function->instructions = calloc(KEEL_CODE_INSTRUCTIONS, sizeof *function->instructions);
    if (decoding == NULL || seen == NULL || function->instructions == NULL) {
        keel_code_problem(function, "there is no memory", function->begin);
    } else if (!find_extent(code, function)) {
        keel_code_problem(function, "the unwind table does not know the function", function->begin);
    } else {
        *decoding = (struct decoding){.code = code, .function = function, .seen = seen};
        decode(decoding);
    }
    free(seen);
    free(decoding);
}
