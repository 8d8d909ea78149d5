/* Names that are kept once each, and have numbers: 0, 1, 2 ... in the order in which they came. */
#ifndef OMP_EXT_COMMAND_TRACE_NAME_LIST_H
#define OMP_EXT_COMMAND_TRACE_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#define KEEL_NAME_LIST_MAX 4000000 /* names */
#define KEEL_NAME_LIST_NONE UINT32_MAX

/* All zero: an empty list. */
struct keel_name_list {
    uint32_t count;
    char **name;
    uint32_t *slot; /* numbers by their names' hashes; KEEL_NAME_LIST_NONE: free */
    size_t slots;   /* a power of two */
};

/* The number of `name`, which is added if it is not there. KEEL_NAME_LIST_NONE: there are too many
 * names, or no memory. */
uint32_t keel_name_list_number(struct keel_name_list *list, const char *name);

void keel_name_list_end(struct keel_name_list *list);

#endif
