/* Blocks of a function's code, and how control flows between them. See machine_code.h. */
#include "omp_ext/shares/machine_code.h"

#include <stdlib.h>
#include <string.h>

static const char TWO_ENTRIES[] = "a loop with two entries";

/* --- blocks --- */

static int add_block(struct keel_function_code *function)
{
    if (function->block_count == KEEL_CODE_BLOCKS) {
        keel_code_problem(function, "the function is too large", function->begin);
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

/* Marks instructions that blocks begin with. */
static void find_leaders(struct keel_elf_code *code, struct keel_function_code *function,
                         bool *leaders)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const cs_insn *instruction = function->instructions[i];
        bool jumps = keel_code_is_jump(instruction);
        if (jumps) {
            int target =
                keel_code_find(function, (uint64_t)instruction->detail->x86.operands[0].imm);
            if (target >= 0) {
                leaders[target] = true;
            }
        }
        if ((jumps || keel_code_ends_always(code, instruction)) &&
            i + 1 < function->instruction_count) {
            leaders[i + 1] = true;
        }
        if (i > 0 && function->instructions[i - 1]->address + function->instructions[i - 1]->size !=
                         instruction->address) {
            leaders[i] = true;
        }
    }
    leaders[keel_code_find(function, function->begin)] = true;
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
    int next = keel_code_find(function, instruction->address + instruction->size);

    if (keel_code_ends_by_call(code, instruction)) {
        return;
    }
    if (keel_code_is_jump(instruction)) {
        int target = keel_code_find(function, (uint64_t)instruction->detail->x86.operands[0].imm);
        if (target < 0 || (keel_code_is_conditional(instruction) && next < 0)) {
            keel_code_problem(function, "a jump to what was not read", instruction->address);
        } else if (keel_code_is_conditional(instruction)) {
            it->successors[0] = edge(function, block, block_of[target], true);
            it->successors[1] = edge(function, block, block_of[next], false);
        } else {
            it->successors[0] = block_of[target];
        }
    } else if (!keel_code_ends_always(code, instruction)) {
        if (next < 0) {
            keel_code_problem(function, "code that runs into what was not read",
                              instruction->address);
        } else {
            it->successors[0] = block_of[next];
        }
    }
}

static void make_blocks(struct keel_elf_code *code, struct keel_function_code *function)
{
    int count = function->instruction_count, entry = keel_code_find(function, function->begin);
    bool *leaders = calloc((size_t)count + 1, sizeof *leaders);
    int *block_of = calloc((size_t)count + 1, sizeof *block_of);

    if (leaders == NULL || block_of == NULL) {
        keel_code_problem(function, "there is no memory", function->begin);
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

/* --- questions that were copied --- */

/* Where the jump at the end of a block goes, behind what does nothing. */
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

/* Whether one jump is taken where the other one is not. */
static bool is_opposite(unsigned a, unsigned b)
{
    static const unsigned pairs[][2] = {
        {X86_INS_JE, X86_INS_JNE}, {X86_INS_JL, X86_INS_JGE}, {X86_INS_JLE, X86_INS_JG},
        {X86_INS_JB, X86_INS_JAE}, {X86_INS_JBE, X86_INS_JA}, {X86_INS_JS, X86_INS_JNS},
    };

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if ((a == pairs[i][0] && b == pairs[i][1]) || (a == pairs[i][1] && b == pairs[i][0])) {
            return true;
        }
    }
    return false;
}

/* Whether two blocks end with the same question, of registers and numbers, and go on to the same
 * places with the same answers. */
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

/* Makes the question at the end of a block one of its own, and goes to it from the other block that
 * ends alike, too. */
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

/* Compilers copy the question at the head of a loop to its end: then the loop has two entries,
 * behind each of both. */
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

/* Marks the blocks of the natural loop of `header`: those that come to it without leaving it. Loops
 * are marked from the outermost ones, whose headers come first. */
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
                    keel_code_problem(
                        function, TWO_ENTRIES,
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

/* A block as a copy of `from`, which comes where copies come. */
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

/* --- the whole --- */

struct keel_function_code *keel_function_code_read(struct keel_elf_code *code, uint64_t address)
{
    struct keel_function_code *function = calloc(1, sizeof *function);

    if (function == NULL) {
        return NULL;
    }
    function->begin = address;
    keel_function_code_decode(code, function);
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
