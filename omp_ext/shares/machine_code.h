/* The machine code of one function of an ELF file: its instructions and its control flow.
 *
 *   file -> [sections, names of called functions] -> [unwind table: extent]  (elf_code.c)
 *        -> instructions -> blocks, order, dominators, loops                 (machine_code.c)
 *
 * x86-64. Calls must not overlap. */
#ifndef OMP_EXT_SHARES_MACHINE_CODE_H
#define OMP_EXT_SHARES_MACHINE_CODE_H

#include <capstone/capstone.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KEEL_CODE_INSTRUCTIONS 6000 /* of a function; larger ones are refused */
#define KEEL_CODE_BLOCKS 1500

struct keel_elf_code;

/* Opens the file; returns NULL if it cannot be opened or is no ELF file of this machine. */
struct keel_elf_code *keel_elf_code_open(const char *file);
void keel_elf_code_close(struct keel_elf_code *code);

/* Calls visit() with the address of each outlined function that has a symbol, in ascending order.
 */
void keel_elf_code_outlined(struct keel_elf_code *code,
                            void (*visit)(const char *name, uint64_t address, void *context),
                            void *context);

/* Straight-line code. Edges of conditional jumps are blocks of their own, without instructions: so
 * the code that only runs on one side of a jump is that which the side's block dominates. */
struct keel_block {
    int first, count;  /* instructions */
    int successors[2]; /* blocks; [0]: target of the final jump; -1: none */
    int origin;        /* of an edge: the block of the jump; otherwise -1 */
    bool taken;        /* of an edge: the jump is taken */
    int dominator;     /* immediate; of the entry: itself */
    int order;         /* in reverse postorder; -1: not reached */
    int loop;          /* header of the innermost natural loop around it; -1: none */
    int outer;         /* of a header: that of the next loop around; -1: none */
};

struct keel_function_code {
    uint64_t begin, end; /* main part */
    cs_insn **instructions;
    int instruction_count;
    struct keel_block blocks[KEEL_CODE_BLOCKS];
    int block_count; /* block 0: the entry */
    int by_order[KEEL_CODE_BLOCKS], order_count;
    const char *problem; /* NULL if the code is complete */
    uint64_t problem_at;
};

/* Reads the function that begins at `address` of the file; returns NULL if there is no memory. With
 * a problem, the other members are incomplete. */
struct keel_function_code *keel_function_code_read(struct keel_elf_code *code, uint64_t address);
void keel_function_code_free(struct keel_function_code *function);

/* Removes the other side of the block's conditional jump; side: as in `successors`. Loops and
 * dominators are out of date until they are found again. */
void keel_block_keep(struct keel_function_code *function, int block, int side);
void keel_function_code_find_loops(struct keel_function_code *function);

/* Gives an edge, in no loop, copies of all blocks that it reaches. Loops and dominators as
 * above. */
void keel_block_part(struct keel_function_code *function, int block);

/* The instruction before the last one, which is a jump on its result; NULL if there is none. */
const cs_insn *keel_block_asks(const struct keel_function_code *function, int block);

/* Whether block `a` is `b` or on all paths to it. */
bool keel_block_dominates(const struct keel_function_code *function, int a, int b);

/* Marks the blocks that are reached from a block, not through `shut` ones; shut may be NULL. */
void keel_block_reach(const struct keel_function_code *function, int from, const bool *shut,
                      bool reached[KEEL_CODE_BLOCKS]);

/* Whether the block is within the loop of that header. */
bool keel_block_is_in_loop(const struct keel_function_code *function, int block, int header);

/* The name of the called function, without its version; NULL if it has none or is called through a
 * pointer. *target: its address if it is in the file, otherwise 0. */
const char *keel_code_callee(struct keel_elf_code *code, const cs_insn *call, uint64_t *target);

/* The bytes from `address` to the end of its segment; NULL if it is not code. */
const uint8_t *keel_code_bytes(struct keel_elf_code *code, uint64_t address, size_t *size);

/* Whether the address is in a read-only segment. */
bool keel_code_is_constant(struct keel_elf_code *code, uint64_t address);

/* Whether the instruction is a tail call: a jump to a function of another file. */
bool keel_code_ends_by_call(struct keel_elf_code *code, const cs_insn *instruction);

bool keel_code_is_barrier(struct keel_elf_code *code, const cs_insn *instruction);

/* Whether the instruction uses state of its thread (rounding mode, floating-point flags, CPU), or
 * calls the system. */
bool keel_code_asks_thread(const cs_insn *instruction);

/* Whether the instruction may keep a part of its first operand, or all of it; not for scalars in
 * vectors. */
bool keel_code_keeps_part(unsigned id);

bool keel_code_is_jump(const cs_insn *instruction);

/* Registers by number, for any of their parts; -1 for other registers. */
enum { VECTORS = 16, MASKS = 48 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };
int keel_code_location(x86_reg reg);

/* The condition of a jump, move or set: the relation of two compared numbers, or of a number and
 * 0. */
enum keel_code_relation {
    KEEL_NOT_KNOWN,
    KEEL_EQUAL,
    KEEL_UNEQUAL,
    KEEL_LESS,
    KEEL_AT_MOST,
    KEEL_MORE,
    KEEL_AT_LEAST
};

struct keel_code_condition {
    enum keel_code_relation relation;
    enum { KEEL_ANY_NUMBERS, KEEL_SIGNED, KEEL_UNSIGNED, KEEL_SIGN_ALONE } of;
};

struct keel_code_condition keel_code_condition(unsigned id);

/* The negation of a relation; the same relation of the second number to the first. */
enum keel_code_relation keel_code_opposite(enum keel_code_relation relation);
enum keel_code_relation keel_code_mirrored(enum keel_code_relation relation);

/* The extent of the function, or part of one, that contains `address`; false if none is known. */
bool keel_code_extent(struct keel_elf_code *code, uint64_t address, uint64_t *begin, uint64_t *end);

/* Calls visit() with each instruction of [begin, end) until it returns false. Returns false then,
 * and if an instruction is not known. */
bool keel_code_scan(struct keel_elf_code *code, uint64_t begin, uint64_t end,
                    bool (*visit)(const cs_insn *instruction, void *context), void *context);

/* A cache of numbers by address and kind, from 1; entries may be overwritten by others. */
void keel_code_keep(struct keel_elf_code *code, uint64_t address, uint32_t kind, uint32_t value);
bool keel_code_recall(struct keel_elf_code *code, uint64_t address, uint32_t kind, uint32_t *value);

/* Writes an address with its source position: "0x4012f0, solver.c:88". */
void keel_code_where(struct keel_elf_code *code, uint64_t address, char *text, size_t size);

csh keel_elf_code_disassembler(const struct keel_elf_code *code);

#endif
