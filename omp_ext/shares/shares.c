/* Verdicts on functions in memory. See shares.h. */
#include "omp_ext/shares/shares.h"

#include <string.h>

#include "omp_ext/shares/share_flow.h"

/* Whether the file still holds what the process runs. */
static bool is_in_memory(struct keel_elf_code *code, const struct keel_function_code *function,
                         const void *memory)
{
    size_t size = 0;
    const uint8_t *bytes = keel_code_bytes(code, function->begin, &size);

    return bytes != NULL && size >= function->end - function->begin &&
           memcmp(bytes, memory, function->end - function->begin) == 0;
}

__attribute__((visibility("default"))) void keel_shares_prove(const char *file, uint64_t address,
                                                              const void *code,
                                                              struct keel_shares_verdict *verdict)
{
    struct keel_elf_code *elf = keel_elf_code_open(file);
    struct keel_function_code *function =
        elf != NULL ? keel_function_code_read(elf, address) : NULL;

    *verdict = (struct keel_shares_verdict){"its file cannot be read", address, 0};
    if (function != NULL) {
        struct keel_refusal refusal = keel_share_flow_check(elf, function);
        *verdict =
            (struct keel_shares_verdict){refusal.why, refusal.at, function->end - function->begin};
        if (refusal.why == NULL && !is_in_memory(elf, function, code)) {
            verdict->why = "its file has changed since it was loaded";
        }
        keel_function_code_free(function);
    }
    if (elf != NULL) {
        keel_elf_code_close(elf);
    }
}
