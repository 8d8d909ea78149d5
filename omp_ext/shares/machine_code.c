/* Reading machine code. See machine_code.h. */
#include "omp_ext/shares/machine_code.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 65536    /* functions of others that a file names */
#define EXTENTS_MAX 262144 /* functions of a file */
#define KEPT_MAX 4096      /* numbers that are kept for addresses */
#define POINTERS_RELATIVE \
    0x1b /* in the unwind table: signed, 32 bits, relative to where they are */

static const char TWO_ENTRIES[] = "a loop with two entries";

struct slot {
    uint64_t address; /* of a pointer that the dynamic linker fills */
    const char *name;
};

struct outlined {
    uint64_t address;
    const char *name;
};

struct extent {
    uint64_t begin, end;
};

struct keel_elf_code {
    int descriptor;
    Elf *elf;
    struct extent *extents;
    size_t extent_count;
    csh capstone;
    struct slot *slots;
    size_t slot_count;
    struct outlined *outlined;
    size_t outlined_count;
    struct kept {
        uint64_t address;
        uint32_t kind, value;
    } kept[KEPT_MAX]; /* each where its address and kind say; another one there goes */
};

/* --- the file --- */

static int by_slot(const void *a, const void *b)
{
    const struct slot *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static int by_extent(const void *a, const void *b)
{
    const struct extent *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

static int by_outlined(const void *a, const void *b)
{
    const struct outlined *left = a, *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

static void read_relocations(struct keel_elf_code *code, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL), *symbols;
    Elf_Scn *symbol_section = elf_getscn(code->elf, header->sh_link);
    GElf_Shdr symbol_header;
    GElf_Rela relocation;
    GElf_Sym symbol;

    if (data == NULL || symbol_section == NULL ||
        gelf_getshdr(symbol_section, &symbol_header) == NULL ||
        (symbols = elf_getdata(symbol_section, NULL)) == NULL) {
        return;
    }
    for (int i = 0; gelf_getrela(data, i, &relocation) != NULL; i++) {
        uint64_t type = GELF_R_TYPE(relocation.r_info);
        if ((type == R_X86_64_GLOB_DAT || type == R_X86_64_JUMP_SLOT) &&
            code->slot_count < NAMES_MAX &&
            gelf_getsym(symbols, (int)GELF_R_SYM(relocation.r_info), &symbol) != NULL) {
            const char *name = elf_strptr(code->elf, symbol_header.sh_link, symbol.st_name);
            if (name != NULL && name[0] != '\0') {
                code->slots[code->slot_count++] = (struct slot){relocation.r_offset, name};
            }
        }
    }
}

static void read_symbols(struct keel_elf_code *code, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; data != NULL && gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(code->elf, header->sh_link, symbol.st_name);
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF ||
            name == NULL || strstr(name, "_omp_fn.") == NULL || strstr(name, ".cold") != NULL) {
            continue;
        }
        void *larger = realloc(code->outlined, (code->outlined_count + 1) * sizeof *code->outlined);
        if (larger == NULL) {
            return;
        }
        code->outlined = larger;
        code->outlined[code->outlined_count++] = (struct outlined){symbol.st_value, name};
    }
}

/* Whether the entry's functions are given as GCC and clang give them on this machine. */
static bool is_relative(const Dwarf_CIE *common)
{
    const char *letters = common->augmentation;
    const uint8_t *data = common->augmentation_data, *end = data + common->augmentation_data_size;

    if (letters == NULL || *letters++ != 'z' || data == NULL) {
        return false;
    }
    for (; *letters != '\0' && data < end; letters++) {
        if (*letters == 'R') {
            return *data == POINTERS_RELATIVE;
        }
        data += *letters == 'P' ? 1 + 4 : 1; /* a personality function, with how it is given */
    }
    return false;
}

/* The unwind table: where functions, and parts of them, begin and end. */
static void read_extents(struct keel_elf_code *code, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const unsigned char *ident = (const unsigned char *)elf_getident(code->elf, NULL);
    Dwarf_CFI_Entry entry;
    bool relative = false;
    Dwarf_Off offset = 0, next;

    while (data != NULL && data->d_buf != NULL && code->extent_count < EXTENTS_MAX &&
           dwarf_next_cfi(ident, data, true, offset, &next, &entry) == 0) {
        offset = next;
        if (dwarf_cfi_cie_p(&entry)) {
            relative = is_relative(&entry.cie);
        } else if (relative && entry.fde.end - entry.fde.start >= 8) {
            int32_t distance, size;
            memcpy(&distance, entry.fde.start, sizeof distance);
            memcpy(&size, entry.fde.start + sizeof distance, sizeof size);
            uint64_t begin = header->sh_addr +
                             (uint64_t)(entry.fde.start - (const uint8_t *)data->d_buf) +
                             (uint64_t)(int64_t)distance;
            code->extents[code->extent_count++] = (struct extent){begin, begin + (uint64_t)size};
        }
    }
}

static void read_sections(struct keel_elf_code *code)
{
    GElf_Shdr header;
    size_t names = 0;

    elf_getshdrstrndx(code->elf, &names);

    for (Elf_Scn *section = NULL; (section = elf_nextscn(code->elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) == NULL) {
            continue;
        }
        if (header.sh_type == SHT_RELA) {
            read_relocations(code, section, &header);
        } else if (header.sh_type == SHT_SYMTAB) {
            read_symbols(code, section, &header);
        }
        const char *name = elf_strptr(code->elf, names, header.sh_name);
        if (name != NULL && strcmp(name, ".eh_frame") == 0) {
            read_extents(code, section, &header);
        }
    }
    qsort(code->extents, code->extent_count, sizeof *code->extents, by_extent);
    qsort(code->slots, code->slot_count, sizeof *code->slots, by_slot);
    if (code->outlined_count > 0) {
        qsort(code->outlined, code->outlined_count, sizeof *code->outlined, by_outlined);
    }
}

struct keel_elf_code *keel_elf_code_open(const char *file)
{
    struct keel_elf_code *code = calloc(1, sizeof *code);
    GElf_Ehdr header;

    if (code == NULL) {
        return NULL;
    }
    elf_version(EV_CURRENT);
    code->slots = malloc(NAMES_MAX * sizeof *code->slots);
    code->extents = malloc(EXTENTS_MAX * sizeof *code->extents);
    code->descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe, too */
    if (code->slots == NULL || code->extents == NULL || code->descriptor < 0 ||
        (code->elf = elf_begin(code->descriptor, ELF_C_READ_MMAP, NULL)) == NULL ||
        gelf_getehdr(code->elf, &header) == NULL || header.e_machine != EM_X86_64 ||
        cs_open(CS_ARCH_X86, CS_MODE_64, &code->capstone) != CS_ERR_OK) {
        keel_elf_code_close(code);
        return NULL;
    }
    cs_option(code->capstone, CS_OPT_DETAIL, CS_OPT_ON);
    read_sections(code);
    return code;
}

void keel_elf_code_close(struct keel_elf_code *code)
{
    if (code->capstone != 0) {
        cs_close(&code->capstone);
    }
    elf_end(code->elf);
    if (code->descriptor >= 0) {
        close(code->descriptor);
    }
    free(code->outlined);
    free(code->extents);
    free(code->slots);
    free(code);
}

void keel_elf_code_outlined(struct keel_elf_code *code,
                            void (*visit)(const char *name, uint64_t address, void *context),
                            void *context)
{
    for (size_t i = 0; i < code->outlined_count; i++) {
        if (i == 0 || code->outlined[i].address != code->outlined[i - 1].address) {
            visit(code->outlined[i].name, code->outlined[i].address, context);
        }
    }
}

/* The loaded segment around the address; false: there is none. */
static bool find_segment(struct keel_elf_code *code, uint64_t address, GElf_Phdr *segment)
{
    size_t count = 0;

    elf_getphdrnum(code->elf, &count);
    for (size_t i = 0; i < count; i++) {
        if (gelf_getphdr(code->elf, (int)i, segment) != NULL && segment->p_type == PT_LOAD &&
            address >= segment->p_vaddr && address < segment->p_vaddr + segment->p_filesz) {
            return true;
        }
    }
    return false;
}

const uint8_t *keel_code_bytes(struct keel_elf_code *code, uint64_t address, size_t *size)
{
    GElf_Phdr segment;
    size_t file_size = 0;
    const char *raw = elf_rawfile(code->elf, &file_size);

    if (raw == NULL || !find_segment(code, address, &segment) || (segment.p_flags & PF_X) == 0 ||
        segment.p_filesz > file_size || segment.p_offset > file_size - segment.p_filesz) {
        return NULL;
    }
    *size = segment.p_vaddr + segment.p_filesz - address;
    return (const uint8_t *)raw + segment.p_offset + (address - segment.p_vaddr);
}

bool keel_code_is_constant(struct keel_elf_code *code, uint64_t address)
{
    GElf_Phdr segment;

    return find_segment(code, address, &segment) && (segment.p_flags & PF_W) == 0;
}

void keel_code_where(struct keel_elf_code *code, uint64_t address, char *text, size_t size)
{
    Dwarf *debug = dwarf_begin_elf(code->elf, DWARF_C_READ, NULL);
    Dwarf_Die unit;
    Dwarf_Line *line = debug != NULL && dwarf_addrdie(debug, address, &unit) != NULL
                           ? dwarf_getsrc_die(&unit, address)
                           : NULL;
    const char *file = line != NULL ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;

    if (file != NULL && dwarf_lineno(line, &number) == 0) {
        const char *slash = strrchr(file, '/');
        snprintf(text, size, "0x%llx, %s:%d", (unsigned long long)address,
                 slash != NULL ? slash + 1 : file, number);
    } else {
        snprintf(text, size, "0x%llx", (unsigned long long)address);
    }
    dwarf_end(debug);
}

/* --- names of called functions --- */

static const char *slot_name(const struct keel_elf_code *code, uint64_t address)
{
    const struct slot key = {.address = address};
    const struct slot *found =
        bsearch(&key, code->slots, code->slot_count, sizeof *code->slots, by_slot);

    return found != NULL ? found->name : NULL;
}

/* The pointer that an instruction reads relative to itself; 0: none. */
static uint64_t pointer_of(const cs_insn *instruction)
{
    const cs_x86_op *operand = &instruction->detail->x86.operands[0];

    return operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP &&
                   operand->mem.index == X86_REG_INVALID
               ? instruction->address + instruction->size + (uint64_t)operand->mem.disp
               : 0;
}

/* A stub of the procedure linkage table: [endbr64] [bnd] jmp *slot(%rip). */
static const char *stub_name(struct keel_elf_code *code, uint64_t address)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t size, at = 0;
    const uint8_t *bytes = keel_code_bytes(code, address, &size);
    int32_t distance;

    if (bytes == NULL || size < sizeof endbr64 + 7) {
        return NULL;
    }
    at += memcmp(bytes, endbr64, sizeof endbr64) == 0 ? sizeof endbr64 : 0;
    at += bytes[at] == 0xf2;
    if (bytes[at] != 0xff || bytes[at + 1] != 0x25) {
        return NULL;
    }
    memcpy(&distance, &bytes[at + 2], sizeof distance);
    return slot_name(code, address + at + 6 + (uint64_t)(int64_t)distance);
}

const char *keel_code_callee(struct keel_elf_code *code, const cs_insn *call, uint64_t *target)
{
    const cs_x86_op *operand = &call->detail->x86.operands[0];

    *target = 0;
    if (operand->type == X86_OP_IMM) {
        const char *name = stub_name(code, (uint64_t)operand->imm);
        if (name == NULL) {
            *target = (uint64_t)operand->imm;
        }
        return name;
    }
    uint64_t pointer = pointer_of(call);
    return pointer != 0 ? slot_name(code, pointer) : NULL;
}

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

bool keel_code_extent(struct keel_elf_code *code, uint64_t address, uint64_t *begin, uint64_t *end)
{
    size_t low = 0, high = code->extent_count;

    while (low < high) { /* the last one that does not begin behind it */
        size_t middle = (low + high) / 2;
        if (code->extents[middle].begin <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || address >= code->extents[low - 1].end) {
        return false;
    }
    *begin = code->extents[low - 1].begin;
    *end = code->extents[low - 1].end;
    return true;
}

static struct kept *place_of(struct keel_elf_code *code, uint64_t address, uint32_t kind)
{
    return &code->kept[(address / 16 * 31 + address + kind * 61) % KEPT_MAX];
}

void keel_code_keep(struct keel_elf_code *code, uint64_t address, uint32_t kind, uint32_t value)
{
    *place_of(code, address, kind) = (struct kept){address, kind, value};
}

bool keel_code_recall(struct keel_elf_code *code, uint64_t address, uint32_t kind, uint32_t *value)
{
    const struct kept *kept = place_of(code, address, kind);

    *value = kept->value;
    return kept->address == address && kept->kind == kind;
}

bool keel_code_scan(struct keel_elf_code *code, uint64_t begin, uint64_t end,
                    bool (*visit)(const cs_insn *instruction, void *context), void *context)
{
    size_t size = 0;
    const uint8_t *bytes = keel_code_bytes(code, begin, &size);
    cs_insn *instruction = cs_malloc(code->capstone);
    bool known = bytes != NULL && instruction != NULL;

    while (known && begin < end) {
        known = cs_disasm_iter(code->capstone, &bytes, &size, &begin, instruction) &&
                visit(instruction, context);
    }
    if (instruction != NULL) {
        cs_free(instruction, 1);
    }
    return known;
}

/* --- the instructions of a function --- */

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

static int find_instruction(const struct keel_function_code *function, uint64_t address)
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
            problem(function,
                    bytes == NULL ? "a jump to what is not code" : "the function is too large",
                    address);
            return;
        }
        cs_insn *instruction = cs_malloc(decoding->code->capstone);
        uint64_t here = address;
        if (instruction == NULL ||
            !cs_disasm_iter(decoding->code->capstone, &bytes, &size, &address, instruction)) {
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

/* What only unwinding reaches: code in the function's extent that nothing jumps to. */
static void check_extent(struct decoding *decoding)
{
    struct keel_function_code *function = decoding->function;
    uint64_t address = function->begin;
    cs_insn *instruction = cs_malloc(decoding->code->capstone);
    size_t size;

    while (instruction != NULL && function->problem == NULL && address < function->end) {
        int at = find_instruction(function, address);
        if (at >= 0) {
            address += function->instructions[at]->size;
            continue;
        }
        uint64_t here = address;
        const uint8_t *bytes = keel_code_bytes(decoding->code, address, &size);
        if (bytes == NULL ||
            !cs_disasm_iter(decoding->code->capstone, &bytes, &size, &address, instruction) ||
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

/* Marks instructions that blocks begin with. */
static void find_leaders(struct keel_elf_code *code, struct keel_function_code *function,
                         bool *leaders)
{
    for (int i = 0; i < function->instruction_count; i++) {
        const cs_insn *instruction = function->instructions[i];
        bool jumps = keel_code_is_jump(instruction);
        if (jumps) {
            int target =
                find_instruction(function, (uint64_t)instruction->detail->x86.operands[0].imm);
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
    leaders[find_instruction(function, function->begin)] = true;
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
    int next = find_instruction(function, instruction->address + instruction->size);

    if (keel_code_ends_by_call(code, instruction)) {
        return;
    }
    if (keel_code_is_jump(instruction)) {
        int target = find_instruction(function, (uint64_t)instruction->detail->x86.operands[0].imm);
        if (target < 0 || (is_conditional(instruction) && next < 0)) {
            problem(function, "a jump to what was not read", instruction->address);
        } else if (is_conditional(instruction)) {
            it->successors[0] = edge(function, block, block_of[target], true);
            it->successors[1] = edge(function, block, block_of[next], false);
        } else {
            it->successors[0] = block_of[target];
        }
    } else if (!ends_always(code, instruction)) {
        if (next < 0) {
            problem(function, "code that runs into what was not read", instruction->address);
        } else {
            it->successors[0] = block_of[next];
        }
    }
}

static void make_blocks(struct keel_elf_code *code, struct keel_function_code *function)
{
    int count = function->instruction_count, entry = find_instruction(function, function->begin);
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

static bool find_extent(struct keel_elf_code *code, struct keel_function_code *function)
{
    uint64_t begin;

    return keel_code_extent(code, function->begin, &begin, &function->end) &&
           begin == function->begin;
}

struct keel_function_code *keel_function_code_read(struct keel_elf_code *code, uint64_t address)
{
    struct keel_function_code *function = calloc(1, sizeof *function);
    struct decoding *decoding = calloc(1, sizeof *decoding);

    if (function == NULL || decoding == NULL) {
        free(function);
        free(decoding);
        return NULL;
    }
    function->begin = address;
    *decoding = (struct decoding){.code = code, .function = function};
    decoding->seen = calloc(SEEN, sizeof *decoding->seen);
    function->instructions = calloc(KEEL_CODE_INSTRUCTIONS, sizeof *function->instructions);
    if (decoding->seen == NULL || function->instructions == NULL) {
        problem(function, "there is no memory", address);
    } else if (!find_extent(code, function)) {
        problem(function, "the unwind table does not know the function", address);
    } else {
        decode(decoding);
    }
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
    free(decoding->seen);
    free(decoding);
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
