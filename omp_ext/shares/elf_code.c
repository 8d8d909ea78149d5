/* The ELF file of the code: sections, names of called functions, the unwind table. See
 * machine_code.h. */
#include "omp_ext/shares/machine_code.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_MAX 65536    /* functions of other files that a file names */
#define EXTENTS_MAX 262144 /* functions of a file */
#define KEPT_MAX 4096      /* entries of the cache of keel_code_keep() */
#define POINTERS_RELATIVE \
    0x1b /* encoding in the unwind table: signed, 32 bits, relative to the pointer */

/* A named address: a pointer that the dynamic linker fills, or an outlined function. */
struct named {
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
    struct named *slots;
    size_t slot_count;
    struct named *outlined;
    size_t outlined_count;
    struct kept {
        uint64_t address;
        uint32_t kind, value;
    } kept[KEPT_MAX]; /* a hash table without chains: entries overwrite others */
};

/* --- the file --- */

/* For slots, outlined functions and extents, whose first member is an address. */
static int by_address(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

    return (left > right) - (left < right);
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
                code->slots[code->slot_count++] = (struct named){relocation.r_offset, name};
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
        code->outlined[code->outlined_count++] = (struct named){symbol.st_value, name};
    }
}

/* Whether the entry's functions have the encoding of GCC and clang on this machine. */
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
        data += *letters == 'P' ? 1 + 4 : 1; /* a personality function, with its encoding */
    }
    return false;
}

/* Reads the extents of functions and their parts from the unwind table. */
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
    qsort(code->extents, code->extent_count, sizeof *code->extents, by_address);
    qsort(code->slots, code->slot_count, sizeof *code->slots, by_address);
    if (code->outlined_count > 0) {
        qsort(code->outlined, code->outlined_count, sizeof *code->outlined, by_address);
    }
}

/* The file is read, not mapped: a mapping would stay, to readers of /proc/self/maps as a part of
 * the module that is loaded behind it; and the program would end where the file is shortened. */
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
    code->descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* for pipes */
    if (code->slots == NULL || code->extents == NULL || code->descriptor < 0 ||
        (code->elf = elf_begin(code->descriptor, ELF_C_READ, NULL)) == NULL ||
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

/* Finds the loaded segment that contains the address; returns false if there is none. */
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
    const struct named key = {.address = address};
    const struct named *found =
        bsearch(&key, code->slots, code->slot_count, sizeof *code->slots, by_address);

    return found != NULL ? found->name : NULL;
}

/* The address of the pointer that an instruction reads relative to itself; 0 if there is none. */
static uint64_t pointer_of(const cs_insn *instruction)
{
    const cs_x86_op *operand = &instruction->detail->x86.operands[0];

    return operand->type == X86_OP_MEM && operand->mem.base == X86_REG_RIP &&
                   operand->mem.index == X86_REG_INVALID
               ? instruction->address + instruction->size + (uint64_t)operand->mem.disp
               : 0;
}

/* The name for a stub of the procedure linkage table, [endbr64] [bnd] jmp *slot(%rip); or NULL. */
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

bool keel_code_extent(struct keel_elf_code *code, uint64_t address, uint64_t *begin, uint64_t *end)
{
    size_t low = 0, high = code->extent_count;

    while (low < high) { /* the last one that does not begin after it */
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

csh keel_elf_code_disassembler(const struct keel_elf_code *code)
{
    return code->capstone;
}
