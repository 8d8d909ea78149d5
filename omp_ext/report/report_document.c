/* Memory of reports. */
#include "omp_ext/report/report_document.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct keel_report_block {
    struct keel_report_block *next;
    _Alignas(16) char content[];
};

void *keel_report_memory(struct keel_report_document *document, size_t count, size_t size)
{
    struct keel_report_block *block = size > 0 && count > (SIZE_MAX - sizeof *block) / size
                                          ? NULL
                                          : calloc(1, sizeof *block + count * size);

    if (block == NULL) {
        document->short_of_memory = true;
        return NULL;
    }
    block->next = document->blocks;
    document->blocks = block;
    return block->content;
}

const char *keel_report_copy(struct keel_report_document *document, const char *text, size_t length)
{
    char *copy = keel_report_memory(document, length + 1, 1);

    return copy != NULL ? memcpy(copy, text, length) : "";
}

struct keel_report_process *keel_report_add_process(struct keel_report_document *document)
{
    struct keel_report_process *process = keel_report_memory(document, 1, sizeof *process);
    const struct keel_report_process **longer =
        process != NULL ? realloc(document->process, (document->count + 1) * sizeof(void *)) : NULL;

    if (longer == NULL) {
        document->short_of_memory = true;
        return NULL;
    }
    document->process = longer;
    longer[document->count++] = process;
    return process;
}

void keel_report_document_free(struct keel_report_document *document)
{
    for (struct keel_report_block *block = document->blocks, *next; block != NULL; block = next) {
        next = block->next;
        free(block);
    }
    free(document->process);
    *document = (struct keel_report_document){0};
}
