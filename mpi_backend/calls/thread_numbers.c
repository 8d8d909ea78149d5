/* What objects import. */
#define _GNU_SOURCE
#include "mpi_backend/calls/mpi_calls.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Names begin so; Fortran's have an underscore more. */
static const char *const asking[] = {
    "omp_get_thread_num",
    "omp_get_num_threads",
    "omp_get_team_size",
    "omp_get_ancestor_thread_num",
    "pthread_self",
    "pthread_getspecific",
    "__tls_get_addr",
    "__emutls_get_address",
    "gettid",
    "syscall",
    "sched_getcpu",
    "getcpu",
    "dlopen",
};

static const char *const setting[] = {
    "omp_set_num_threads",
    "omp_set_dynamic",
    "omp_set_nested",
    "omp_set_max_active_levels",
};

/* Libraries of the system, of compilers, and of MPI with what it needs: what they keep for a thread
 * does not change what the program computes. Their names begin so. */
static const char *const of_others[] = {
    "ld-",         "linux-vdso", "libc.",   "libm.",    "libgcc_s", "libstdc++",
    "libgfortran", "libgomp.",   "libkeel", "libmpi",   "libopen-", "libevent",
    "libuc",       "libfabric",  "libpmix", "libhwloc", "libnuma",  "libudev",
};

/* The dynamic linker's tables of an object. */
struct tables {
    const char *strings;
    const ElfW(Sym) * symbols;
    const ElfW(Rela) * relocations[2];
    size_t count[2];
};

static void find_tables(ElfW(Addr) base, const ElfW(Dyn) * entry, struct tables *tables)
{
    *tables = (struct tables){0};
    for (; entry->d_tag != DT_NULL; entry++) {
        ElfW(Addr) address =
            entry->d_un.d_ptr < base ? base + entry->d_un.d_ptr : entry->d_un.d_ptr;
        switch (entry->d_tag) {
        case DT_STRTAB:
            tables->strings = (const char *)address;
            break;
        case DT_SYMTAB:
            tables->symbols = (const ElfW(Sym) *)address;
            break;
        case DT_RELA:
            tables->relocations[0] = (const ElfW(Rela) *)address;
            break;
        case DT_RELASZ:
            tables->count[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_JMPREL:
            tables->relocations[1] = (const ElfW(Rela) *)address;
            break;
        case DT_PLTRELSZ:
            tables->count[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
}

#if defined __x86_64__
#define IS_THREAD_LOCAL(type) \
    ((type) == R_X86_64_TPOFF64 || (type) == R_X86_64_DTPMOD64 || (type) == R_X86_64_TLSDESC)
#elif defined __aarch64__
#define IS_THREAD_LOCAL(type)                                               \
    ((type) == R_AARCH64_TLS_TPREL64 || (type) == R_AARCH64_TLS_DTPMOD64 || \
     (type) == R_AARCH64_TLSDESC)
#else
#define IS_THREAD_LOCAL(type) true /* not known: then nothing is proven */
#endif

static bool begins_as_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strncmp(name, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

#define IS_ONE_OF(name, names) begins_as_one_of(name, names, sizeof(names) / sizeof *(names))

static void look_at(const struct tables *tables, int part, struct keel_team_use *use)
{
    for (size_t i = 0; i < tables->count[part]; i++) {
        const ElfW(Rela) *relocation = &tables->relocations[part][i];
        const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(relocation->r_info)];
        const char *name = tables->strings + symbol->st_name;
        use->sets_sizes |= IS_ONE_OF(name, setting);
        use->sees_numbers |=
            IS_ONE_OF(name, asking) || IS_THREAD_LOCAL(ELF64_R_TYPE(relocation->r_info));
    }
}

static bool is_of_others(const char *file)
{
    const char *slash = strrchr(file, '/');

    return IS_ONE_OF(slash != NULL ? slash + 1 : file, of_others);
}

static int visit(struct dl_phdr_info *object, size_t size, void *context)
{
    struct keel_team_use *use = context;
    struct tables tables = {0};

    (void)size;
    if (is_of_others(object->dlpi_name)) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        use->sees_numbers |= part->p_type == PT_TLS;
        if (part->p_type == PT_DYNAMIC) {
            find_tables(object->dlpi_addr, (const ElfW(Dyn) *)(object->dlpi_addr + part->p_vaddr),
                        &tables);
        }
    }
    for (int part = 0; part < 2 && tables.strings != NULL && tables.symbols != NULL; part++) {
        look_at(&tables, part, use);
    }
    return 0;
}

struct keel_team_use keel_team_use_of_program(void)
{
    struct keel_team_use use = {false, false};

    dl_iterate_phdr(visit, &use);
    return use;
}
