/* Reading of machine code. See machine_code.h. */
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

int keel_code_location(x86_reg reg)
{
    static const struct {
        x86_reg first, last;
        int location;
    } numbered[] = {
        {X86_REG_R8, X86_REG_R15, R8},          {X86_REG_R8D, X86_REG_R15D, R8},
        {X86_REG_R8W, X86_REG_R15W, R8},        {X86_REG_R8B, X86_REG_R15B, R8},
        {X86_REG_XMM0, X86_REG_XMM31, VECTORS}, {X86_REG_YMM0, X86_REG_YMM31, VECTORS},
        {X86_REG_ZMM0, X86_REG_ZMM31, VECTORS}, {X86_REG_K0, X86_REG_K7, MASKS},
    };
    static const struct {
        x86_reg names[5];
        int location;
    } named[] = {
        {{X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH}, RAX},
        {{X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH}, RCX},
        {{X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH}, RDX},
        {{X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH}, RBX},
        {{X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, 0}, RSP},
        {{X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, 0}, RBP},
        {{X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, 0}, RSI},
        {{X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, 0}, RDI},
    };

    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        if (reg >= numbered[i].first && reg <= numbered[i].last) {
            return numbered[i].location + (int)(reg - numbered[i].first);
        }
    }
    for (size_t i = 0; reg != X86_REG_INVALID && i < sizeof named / sizeof *named; i++) {
        for (int k = 0; k < 5; k++) {
            if (named[i].names[k] == reg) {
                return named[i].location;
            }
        }
    }
    return -1;
}

struct keel_code_condition keel_code_condition(unsigned id)
{
    static const struct {
        struct keel_code_condition condition;
        unsigned ids[3];
    } known[] = {
        {{KEEL_EQUAL, KEEL_ANY_NUMBERS}, {X86_INS_JE, X86_INS_SETE, X86_INS_CMOVE}},
        {{KEEL_UNEQUAL, KEEL_ANY_NUMBERS}, {X86_INS_JNE, X86_INS_SETNE, X86_INS_CMOVNE}},
        {{KEEL_LESS, KEEL_SIGNED}, {X86_INS_JL, X86_INS_SETL, X86_INS_CMOVL}},
        {{KEEL_AT_MOST, KEEL_SIGNED}, {X86_INS_JLE, X86_INS_SETLE, X86_INS_CMOVLE}},
        {{KEEL_MORE, KEEL_SIGNED}, {X86_INS_JG, X86_INS_SETG, X86_INS_CMOVG}},
        {{KEEL_AT_LEAST, KEEL_SIGNED}, {X86_INS_JGE, X86_INS_SETGE, X86_INS_CMOVGE}},
        {{KEEL_LESS, KEEL_UNSIGNED}, {X86_INS_JB, X86_INS_SETB, X86_INS_CMOVB}},
        {{KEEL_AT_MOST, KEEL_UNSIGNED}, {X86_INS_JBE, X86_INS_SETBE, X86_INS_CMOVBE}},
        {{KEEL_MORE, KEEL_UNSIGNED}, {X86_INS_JA, X86_INS_SETA, X86_INS_CMOVA}},
        {{KEEL_AT_LEAST, KEEL_UNSIGNED}, {X86_INS_JAE, X86_INS_SETAE, X86_INS_CMOVAE}},
        {{KEEL_LESS, KEEL_SIGN_ALONE}, {X86_INS_JS, X86_INS_SETS, X86_INS_CMOVS}},
        {{KEEL_AT_LEAST, KEEL_SIGN_ALONE}, {X86_INS_JNS, X86_INS_SETNS, X86_INS_CMOVNS}},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (id == known[i].ids[0] || id == known[i].ids[1] || id == known[i].ids[2]) {
            return known[i].condition;
        }
    }
    return (struct keel_code_condition){KEEL_NOT_KNOWN, KEEL_ANY_NUMBERS};
}

enum keel_code_relation keel_code_opposite(enum keel_code_relation relation)
{
    static const enum keel_code_relation opposite[] = {KEEL_NOT_KNOWN, KEEL_UNEQUAL, KEEL_EQUAL,
                                                       KEEL_AT_LEAST,  KEEL_MORE,    KEEL_AT_MOST,
                                                       KEEL_LESS};

    return opposite[relation];
}

enum keel_code_relation keel_code_mirrored(enum keel_code_relation relation)
{
    static const enum keel_code_relation mirrored[] = {KEEL_NOT_KNOWN, KEEL_EQUAL,    KEEL_UNEQUAL,
                                                       KEEL_MORE,      KEEL_AT_LEAST, KEEL_LESS,
                                                       KEEL_AT_MOST};

    return mirrored[relation];
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

/* Records why the function cannot be read; the first reason is kept. */
static void problem(struct keel_function_code *function, const char *text, uint64_t at)
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

/* The number of the instruction at the address; -1 if there is none. */
static int find(const struct keel_function_code *function, uint64_t address)
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

static bool is_conditional(const cs_insn *instruction)
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

/* Whether control never continues after the instruction: it returns, or ends the process. */
static bool ends_always(struct keel_elf_code *code, const cs_insn *instruction)
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
    uint64_t pending[KEEL_CODE_BLOCKS]; /* addresses to continue at */
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
        problem(decoding->function, "the function is too large", address);
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
            problem(decoding->function, "a jump through a table or pointer", instruction->address);
        }
        return instruction->id != X86_INS_JMP;
    }
    return !ends_always(decoding->code, instruction);
}

static void decode_from(struct decoding *decoding, uint64_t address)
{
    struct keel_function_code *function = decoding->function;
    size_t size;
    const uint8_t *bytes = keel_code_bytes(decoding->code, address, &size);

    while (function->problem == NULL && see(decoding, address)) {
        if (bytes == NULL || function->instruction_count == KEEL_CODE_INSTRUCTIONS) {
            problem(function, bytes == NULL ? "a jump to no code" : "the function is too large",
                    address);
            return;
        }
        cs_insn *instruction = cs_malloc(keel_elf_code_disassembler(decoding->code));
        uint64_t here = address;
        if (instruction == NULL || !cs_disasm_iter(keel_elf_code_disassembler(decoding->code),
                                                   &bytes, &size, &address, instruction)) {
            problem(function, "an instruction that is not known", here);
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

/* Refuses code in the function's extent that no jump reaches: only unwinding does. */
static void check_extent(struct decoding *decoding)
{
    struct keel_function_code *function = decoding->function;
    uint64_t address = function->begin;
    cs_insn *instruction = cs_malloc(keel_elf_code_disassembler(decoding->code));
    size_t size;

    while (instruction != NULL && function->problem == NULL && address < function->end) {
        int at = find(function, address);
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
            problem(function, "code that only exceptions reach", here);
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
            problem(function, "instructions that overlap", before->address);
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

/* Reads the instructions of a function from function->begin on. */
static void read_instructions(struct keel_elf_code *code, struct keel_function_code *function)
{
    struct decoding *decoding = calloc(1, sizeof *decoding);
    uint64_t *seen = calloc(SEEN, sizeof *seen);

    function->instructions = calloc(KEEL_CODE_INSTRUCTIONS, sizeof *function->instructions);
    if (decoding == NULL || seen == NULL || function->instructions == NULL) {
        problem(function, "there is no memory", function->begin);
    } else if (!find_extent(code, function)) {
        problem(function, "the function is not in the unwind table", function->begin);
    } else {
        *decoding = (struct decoding){.code = code, .function = function, .seen = seen};
        decode(decoding);
    }
    free(seen);
    free(decoding);
}

static const char TWO_ENTRIES[] = "a loop with two entries";

/* --- blocks --- */

static int add_block(struct keel_function_code *function)
{
    if (function->block_count == KEEL_CODE_BLOCKS) {
        problem(function, "the function is too large", function->begin);
        return 0;
    }
    function->blocks[function->block_count] = (struct keel_block){.first = -1,
                                                                  .successors = {-1, -1},
                                                                  .origin = -1,
                                                                  .order = -1,
                                                                  .loop = -1,
                                                                  .outer = -1,
                                                                  .dominator = -1};
    return function->block_count++;
}

/* Marks the first instructions of blocks. */
static void find_leaders(struct keel_elf_code *code, struct keel_function_code *function,
                         bool *leaders)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const cs_insn *instruction = function->instructions[i];
        bool jumps = keel_code_is_jump(instruction);
        if (jumps) {
            int target = find(function, (uint64_t)instruction->detail->x86.operands[0].imm);
            if (target >= 0) {
                leaders[target] = true;
            }
        }
        if ((jumps || ends_always(code, instruction)) && i + 1 < function->instruction_count) {
            leaders[i + 1] = true;
        }
        if (i > 0 && function->instructions[i - 1]->address + function->instructions[i - 1]->size !=
                         instruction->address) {
            leaders[i] = true;
        }
    }
    leaders[find(function, function->begin)] = true;
}

static int edge(struct keel_function_code *function, int from, int to, bool taken)
{
    int block = add_block(function);

    function->blocks[block].first = function->blocks[from].first;
    function->blocks[block].origin = from;
    function->blocks[block].taken = taken;
    function->blocks[block].successors[0] = to;
    return block;
}

static void connect(struct keel_elf_code *code, struct keel_function_code *function, int block,
                    const int *block_of)
{
    struct keel_block *it = &function->blocks[block];
    int last = it->first + it->count - 1;
    const cs_insn *instruction = function->instructions[last];
    int next = find(function, instruction->address + instruction->size);

    if (keel_code_ends_by_call(code, instruction)) {
        return;
    }
    if (keel_code_is_jump(instruction)) {
        int target = find(function, (uint64_t)instruction->detail->x86.operands[0].imm);
        if (target < 0 || (is_conditional(instruction) && next < 0)) {
            problem(function, "a jump to code that was not read", instruction->address);
        } else if (is_conditional(instruction)) {
            it->successors[0] = edge(function, block, block_of[target], true);
            it->successors[1] = edge(function, block, block_of[next], false);
        } else {
            it->successors[0] = block_of[target];
        }
    } else if (!ends_always(code, instruction)) {
        if (next < 0) {
            problem(function, "code that runs into code that was not read", instruction->address);
        } else {
            it->successors[0] = block_of[next];
        }
    }
}

static void make_blocks(struct keel_elf_code *code, struct keel_function_code *function)
{
    int count = function->instruction_count, entry = find(function, function->begin);
    bool *leaders = calloc((size_t)count + 1, sizeof *leaders);
    int *block_of = calloc((size_t)count + 1, sizeof *block_of);

    if (leaders == NULL || block_of == NULL) {
        problem(function, "there is no memory", function->begin);
    } else {
        find_leaders(code, function, leaders);
        block_of[entry] = add_block(function); /* the entry is block 0 */
        for (int i = 0; i < count && function->problem == NULL; i++) {
            if (leaders[i]) {
                int block = i == entry ? 0 : add_block(function);
                block_of[i] = block;
                function->blocks[block].first = i;
                do {
                    function->blocks[block].count++;
                } while (i + function->blocks[block].count < count &&
                         !leaders[i + function->blocks[block].count]);
            }
        }
        int blocks = function->block_count;
        for (int block = 0; block < blocks && function->problem == NULL; block++) {
            connect(code, function, block, block_of);
        }
    }
    free(leaders);
    free(block_of);
}

/* --- tests that were duplicated --- */

/* The target of the jump at the end of a block, after blocks of NOPs. */
static int goes_to(const struct keel_function_code *function, int block, bool taken)
{
    int at = function->blocks[function->blocks[block].successors[taken ? 0 : 1]].successors[0];
    const struct keel_block *it = &function->blocks[at];

    for (int i = 0; i < it->count; i++) {
        if (function->instructions[it->first + i]->id != X86_INS_NOP) {
            return at;
        }
    }
    return it->count > 0 && it->successors[1] < 0 && it->successors[0] >= 0 ? it->successors[0]
                                                                            : at;
}

/* Whether one jump is taken if and only if the other one is not. */
static bool is_opposite(unsigned a, unsigned b)
{
    struct keel_code_condition one = keel_code_condition(a), other = keel_code_condition(b);

    return one.relation != KEEL_NOT_KNOWN && one.of == other.of &&
           one.relation == keel_code_opposite(other.relation);
}

/* Whether two blocks end with the same test, of registers and constants, and continue at the same
 * blocks for the same results. */
static bool ends_alike(const struct keel_function_code *function, int a, int b)
{
    const struct keel_block *one = &function->blocks[a], *other = &function->blocks[b];
    const cs_insn *asks = keel_block_asks(function, a), *too = keel_block_asks(function, b);

    if (one->count <= 2 || other->count <= 2 || one->successors[1] < 0 ||
        other->successors[1] < 0 || (asks->id != X86_INS_CMP && asks->id != X86_INS_TEST) ||
        asks->size != too->size || memcmp(asks->bytes, too->bytes, asks->size) != 0 ||
        asks->detail->x86.operands[0].type != X86_OP_REG ||
        asks->detail->x86.operands[1].type == X86_OP_MEM) {
        return false;
    }
    unsigned jump = function->instructions[one->first + one->count - 1]->id,
             jump_too = function->instructions[other->first + other->count - 1]->id;
    bool is_same = jump == jump_too;
    return (is_same || is_opposite(jump, jump_too)) &&
           goes_to(function, a, true) == goes_to(function, b, is_same) &&
           goes_to(function, a, false) == goes_to(function, b, !is_same);
}

/* Makes the test at the end of a block a block of its own, the successor of both blocks that end
 * alike. */
static void share_question(struct keel_function_code *function, int a, int b)
{
    int question = add_block(function);
    struct keel_block *it = &function->blocks[question], *from = &function->blocks[a];
    int both[] = {a, b};

    if (question == 0) {
        return;
    }
    it->first = from->first + from->count - 2;
    it->count = 2;
    for (int side = 0; side < 2; side++) {
        it->successors[side] = from->successors[side];
        function->blocks[from->successors[side]].origin = question;
        function->blocks[from->successors[side]].first = it->first;
    }
    for (int i = 0; i < 2; i++) {
        function->blocks[both[i]].count -= 2;
        function->blocks[both[i]].successors[0] = question;
        function->blocks[both[i]].successors[1] = -1;
    }
}

/* Compilers copy the test at the head of a loop to its end: then the loop has two entries, one
 * after each copy. */
static void share_questions(struct keel_function_code *function)
{
    int count = function->block_count;

    for (int a = 0; a < count; a++) {
        for (int b = a + 1; b < count; b++) {
            if (ends_alike(function, a, b)) {
                share_question(function, a, b);
            }
        }
    }
}

/* --- order, dominators, loops --- */

static void sort_blocks(struct keel_function_code *function)
{
    int stack[KEEL_CODE_BLOCKS], next[KEEL_CODE_BLOCKS], depth = 0, place = function->block_count;
    bool seen[KEEL_CODE_BLOCKS] = {false};

    stack[depth] = 0;
    next[depth++] = 0;
    seen[0] = true;
    while (depth > 0) {
        int block = stack[depth - 1];
        if (next[depth - 1] == 2) {
            function->by_order[--place] = block;
            depth--;
            continue;
        }
        int successor = function->blocks[block].successors[next[depth - 1]++];
        if (successor >= 0 && !seen[successor]) {
            seen[successor] = true;
            stack[depth] = successor;
            next[depth++] = 0;
        }
    }
    function->order_count = function->block_count - place;
    memmove(function->by_order, function->by_order + place,
            (size_t)function->order_count * sizeof *function->by_order);
    for (int i = 0; i < function->order_count; i++) {
        function->blocks[function->by_order[i]].order = i;
    }
}

static int common_dominator(const struct keel_function_code *function, int a, int b)
{
    while (a != b) {
        if (function->blocks[a].order > function->blocks[b].order) {
            a = function->blocks[a].dominator;
        } else {
            b = function->blocks[b].dominator;
        }
    }
    return a;
}

static void find_dominators(struct keel_function_code *function)
{
    bool changed = true;

    function->blocks[0].dominator = 0;
    while (changed) {
        changed = false;
        for (int i = 0; i < function->order_count; i++) {
            int block = function->by_order[i];
            for (int side = 0; side < 2; side++) {
                int successor = function->blocks[block].successors[side];
                if (successor <= 0) {
                    continue;
                }
                int old = function->blocks[successor].dominator;
                int dominator = old < 0 ? block : common_dominator(function, old, block);
                if (function->blocks[block].dominator >= 0 && dominator != old) {
                    function->blocks[successor].dominator = dominator;
                    changed = true;
                }
            }
        }
    }
}

const cs_insn *keel_block_asks(const struct keel_function_code *function, int block)
{
    const struct keel_block *it = &function->blocks[block];

    return it->count > 1 ? function->instructions[it->first + it->count - 2] : NULL;
}

bool keel_block_dominates(const struct keel_function_code *function, int a, int b)
{
    while (b != a && b != 0) {
        b = function->blocks[b].dominator;
    }
    return a == b;
}

void keel_block_reach(const struct keel_function_code *function, int from, const bool *shut,
                      bool reached[KEEL_CODE_BLOCKS])
{
    int pending[KEEL_CODE_BLOCKS + 1], count = 0;

    memset(reached, 0, KEEL_CODE_BLOCKS * sizeof *reached);
    pending[count++] = from;
    while (count > 0) {
        int block = pending[--count];
        for (int side = 0; side < 2 && !(shut != NULL && shut[block]); side++) {
            int next = function->blocks[block].successors[side];
            if (next >= 0 && !reached[next]) {
                reached[next] = true;
                pending[count++] = next;
            }
        }
    }
}

bool keel_block_is_in_loop(const struct keel_function_code *function, int block, int header)
{
    int loop = function->blocks[block].loop;

    while (loop >= 0 && loop != header) {
        loop = function->blocks[loop].outer;
    }
    return loop == header && header >= 0;
}

/* Marks the blocks of the natural loop of `header`: those from which it is reached within the loop.
 * Loops are marked from the outermost ones, whose headers come first. */
static void mark_loop(struct keel_function_code *function, int header, const bool *back)
{
    bool inside[KEEL_CODE_BLOCKS] = {false};
    bool changed = true;

    inside[header] = true;
    for (int i = 0; i < function->block_count; i++) {
        inside[i] = inside[i] || back[i];
    }
    while (changed) {
        changed = false;
        for (int i = function->order_count - 1; i >= 0; i--) {
            int block = function->by_order[i];
            for (int side = 0; side < 2 && !inside[block]; side++) {
                int successor = function->blocks[block].successors[side];
                if (successor >= 0 && successor != header && inside[successor]) {
                    inside[block] = changed = true;
                }
            }
        }
    }
    function->blocks[header].outer = function->blocks[header].loop;
    for (int i = 0; i < function->block_count; i++) {
        if (inside[i]) {
            function->blocks[i].loop = header;
        }
    }
}

static void find_loops(struct keel_function_code *function)
{
    for (int i = 0; i < function->order_count; i++) {
        int header = function->by_order[i];
        bool back[KEEL_CODE_BLOCKS] = {false}, any = false;
        for (int k = 0; k < function->order_count; k++) {
            int block = function->by_order[k];
            for (int side = 0; side < 2; side++) {
                if (function->blocks[block].successors[side] != header || k < i) {
                    continue;
                }
                if (!keel_block_dominates(function, header, block)) {
                    problem(function, TWO_ENTRIES,
                            function->instructions[function->blocks[header].first]->address);
                    return;
                }
                back[block] = any = true;
            }
        }
        if (any) {
            mark_loop(function, header, back);
        }
    }
}

void keel_block_keep(struct keel_function_code *function, int block, int side)
{
    struct keel_block *it = &function->blocks[block];

    it->successors[0] = it->successors[side];
    it->successors[1] = -1;
}

/* Copies the block `from`; the successors of the copy are copies, too. */
static void copy_block(struct keel_function_code *function, const int *copy_of, int from)
{
    struct keel_block *it = &function->blocks[copy_of[from]];

    *it = function->blocks[from];
    for (int side = 0; side < 2; side++) {
        it->successors[side] = it->successors[side] >= 0 ? copy_of[it->successors[side]] : -1;
    }
    it->origin = it->origin >= 0 ? copy_of[it->origin] : -1;
}

void keel_block_part(struct keel_function_code *function, int block)
{
    int copy_of[KEEL_CODE_BLOCKS], found[KEEL_CODE_BLOCKS], count = 0;

    memset(copy_of, -1, sizeof copy_of);
    found[count++] = block;
    for (int i = 0; i < count; i++) {
        for (int side = 0; side < 2; side++) {
            int next = function->blocks[found[i]].successors[side];
            if (next >= 0 && copy_of[next] < 0 && function->problem == NULL) {
                copy_of[next] = add_block(function);
                found[count++] = next;
            }
        }
    }
    for (int i = 1; i < count && function->problem == NULL; i++) {
        copy_block(function, copy_of, found[i]);
    }
    function->blocks[block].successors[0] = copy_of[function->blocks[block].successors[0]];
}

void keel_function_code_find_loops(struct keel_function_code *function)
{
    for (int i = 0; i < function->block_count; i++) {
        struct keel_block *it = &function->blocks[i];
        it->order = it->dominator = it->loop = it->outer = -1;
    }
    sort_blocks(function);
    find_dominators(function);
    find_loops(function);
}

/* --- the whole function --- */

struct keel_function_code *keel_function_code_read(struct keel_elf_code *code, uint64_t address)
{
    struct keel_function_code *function = calloc(1, sizeof *function);

    if (function == NULL) {
        return NULL;
    }
    function->begin = address;
    read_instructions(code, function);
    if (function->problem == NULL) {
        make_blocks(code, function);
    }
    if (function->problem == NULL) {
        keel_function_code_find_loops(function);
    }
    if (function->problem == TWO_ENTRIES) {
        function->problem = NULL;
        share_questions(function);
        if (function->problem == NULL) {
            keel_function_code_find_loops(function);
        }
    }
    return function;
}

void keel_function_code_free(struct keel_function_code *function)
{
    for (int i = 0; function->instructions != NULL && i < function->instruction_count; i++) {
        cs_free(function->instructions[i], 1);
    }
    free(function->instructions);
    free(function);
}
