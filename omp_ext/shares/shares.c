/* Verdicts on functions of regions. See shares.h. */
#include "omp_ext/shares/shares.h"

#include <string.h>
#include <sys/stat.h>

#include "omp_ext/shares/share_values.h"
#include "omp_ext/support/own_stack.h"

#define EXPORTED __attribute__((visibility("default")))

/* Whether the file still contains the code that the process runs. */
static bool is_in_memory(struct keel_elf_code *code, const struct keel_function_code *function,
                         const void *memory)
{
    size_t size = 0;
    const uint8_t *bytes = keel_code_bytes(code, function->begin, &size);

    return bytes != NULL && size >= function->end - function->begin &&
           memcmp(bytes, memory, function->end - function->begin) == 0;
}

static bool has_barriers(struct keel_elf_code *code, const struct keel_function_code *function)
{
    bool found = false;

    for (int i = 0; i < function->instruction_count; i++) {
        found = found || keel_code_is_barrier(code, function->instructions[i]);
    }
    return found;
}

/* The OpenMP functions that a function calls. */
struct calls {
    struct keel_elf_code *code;
    /* Loops of libgomp or Keel, barriers and the like, which no share could call. */
    bool of_team;
    bool divides; /* omp_get_num_threads() */
};

static bool note_call(const cs_insn *instruction, void *context)
{
    struct calls *calls = context;
    uint64_t target;
    bool is_call = instruction->id == X86_INS_CALL || instruction->id == X86_INS_JMP;
    const char *name = is_call ? keel_code_callee(calls->code, instruction, &target) : NULL;

    if (name != NULL) {
        calls->divides = calls->divides || strcmp(name, "omp_get_num_threads") == 0;
        calls->of_team =
            calls->of_team || strncmp(name, "keel_", 5) == 0 ||
            (strncmp(name, "GOMP_", 5) == 0 && strncmp(name, "GOMP_atomic_", 12) != 0 &&
             strncmp(name, "GOMP_critical_", 14) != 0);
    }
    return true;
}

/* memory: the function's code in the process; NULL if it is not loaded. */
static void judge(struct keel_elf_code *code, uint64_t address, const void *memory,
                  struct keel_shares_verdict *verdict)
{
    struct keel_function_code *function = keel_function_code_read(code, address);

    *verdict = (struct keel_shares_verdict){.why = "there is no memory", .divides = true};
    if (function == NULL) {
        return;
    }
    struct keel_refusal refusal = keel_share_flow_check(code, function);
    verdict->why = refusal.why;
    verdict->size = function->end - function->begin;
    verdict->meets = refusal.why == NULL && has_barriers(code, function);
    if (refusal.why != NULL) {
        struct calls calls = {.code = code};
        bool known = keel_code_scan(code, function->begin, function->end, note_call, &calls);
        verdict->divides = calls.divides || !known;
        verdict->by_word = calls.divides && known && !calls.of_team;
        keel_code_where(code, refusal.at, verdict->where, sizeof verdict->where);
    } else if (memory != NULL && !is_in_memory(code, function, memory)) {
        verdict->why = "its file has changed since it was loaded";
        verdict->size = 0;
    }
    keel_function_code_free(function);
}

/* The last file, as regions of one file follow each other. */
static struct {
    char name[4096];
    struct stat status;
    struct keel_elf_code *code; /* NULL if there is none or it cannot be read */
} last;

static struct keel_elf_code *open_again(const char *file)
{
    struct stat status;

    if (stat(file, &status) != 0 || strlen(file) >= sizeof last.name) {
        return NULL;
    }
    if (strcmp(file, last.name) != 0 || status.st_ino != last.status.st_ino ||
        status.st_size != last.status.st_size ||
        status.st_mtim.tv_sec != last.status.st_mtim.tv_sec ||
        status.st_mtim.tv_nsec != last.status.st_mtim.tv_nsec) {
        if (last.code != NULL) {
            keel_elf_code_close(last.code);
        }
        strcpy(last.name, file);
        last.status = status;
        last.code = keel_elf_code_open(file);
    }
    return last.code;
}

struct question {
    const char *file;
    uint64_t address;
    const void *code;
    struct keel_shares_verdict *verdict;
};

static void prove(void *context)
{
    const struct question *question = context;
    struct keel_elf_code *elf = open_again(question->file);

    if (elf != NULL) {
        judge(elf, question->address, question->code, question->verdict);
    }
}

EXPORTED void keel_shares_prove(const char *file, uint64_t address, const void *code,
                                struct keel_shares_verdict *verdict)
{
    struct question question = {file, address, code, verdict};

    *verdict = (struct keel_shares_verdict){.why = "its file cannot be read", .divides = true};
    keel_own_stack_run(prove, &question);
}

struct listing {
    struct keel_elf_code *code;
    void (*visit)(const char *, const struct keel_shares_verdict *, void *);
    void *context;
    int count;
};

static void list(const char *name, uint64_t address, void *context)
{
    struct listing *listing = context;
    struct keel_shares_verdict verdict;

    judge(listing->code, address, NULL, &verdict);
    listing->visit(name, &verdict, listing->context);
    listing->count++;
}

EXPORTED int keel_shares_list(const char *file,
                              void (*visit)(const char *, const struct keel_shares_verdict *,
                                            void *),
                              void *context)
{
    struct listing listing = {keel_elf_code_open(file), visit, context, 0};

    if (listing.code == NULL) {
        return -1;
    }
    keel_elf_code_outlined(listing.code, list, &listing);
    keel_elf_code_close(listing.code);
    return listing.count;
}
