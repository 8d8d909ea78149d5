/* The picture of a machine in text. */
#include "omp_ext/topology/picture.h"

#include <stdlib.h>
#include <string.h>

#include "schedules/text/text.h"

#define TEXT_MAX 256
#define LIST_COLUMN 64 /* where the processors stand */
#define LIST_MAX (KEEL_TOPOLOGY_WIDTH - LIST_COLUMN)
#define ALIKE 0.1 /* memories may differ by this part and still be folded */

/* --- words --- */

static void append_bytes(char *text, size_t *length, double bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;

    bytes /= 1024;
    while (bytes >= 1024 && unit < 3) {
        bytes /= 1024;
        unit++;
    }
    *length = keel_text_append(text, TEXT_MAX, *length, bytes < 9.95 ? "%.2g %s" : "%.0f %s", bytes,
                               units[unit]);
}

void keel_topology_picture_list(hwloc_const_bitmap_t processors, size_t most, char text[256])
{
    int length = hwloc_bitmap_list_snprintf(text, 256, processors);

    if (length < 0 || (size_t)length > most) {
        snprintf(text, 256, "%d processors", hwloc_bitmap_weight(processors));
    }
}

static void append_separated(char *text, size_t *length, const char *word)
{
    *length = keel_text_append(text, TEXT_MAX, *length, "%s%s", *length > 0 ? ", " : "", word);
}

static void append_memory(char *text, size_t *length, hwloc_obj_t object)
{
    for (hwloc_obj_t memory = object->memory_first_child; memory != NULL;
         memory = memory->next_sibling) {
        if (memory->type == HWLOC_OBJ_NUMANODE) {
            append_separated(text, length, "NUMA node");
            if (memory->attr->numanode.local_memory > 0) {
                *length = keel_text_append(text, TEXT_MAX, *length, " of ");
                append_bytes(text, length, (double)memory->attr->numanode.local_memory);
            }
        } else {
            append_memory(text, length, memory); /* a cache of the memory's side */
        }
    }
}

static void append_core(const struct keel_topology_machine *machine, char *text, size_t *length,
                        hwloc_obj_t core)
{
    const char *kind = keel_topology_machine_kind(machine, core->cpuset)->name;
    int siblings = hwloc_bitmap_weight(core->cpuset);

    append_separated(text, length, kind);
    *length = keel_text_append(text, TEXT_MAX, *length, "%score", kind[0] != '\0' ? " " : "");
    if (siblings > 1) {
        *length = keel_text_append(text, TEXT_MAX, *length, ", SMT %d", siblings);
    }
}

static void append_object(const struct keel_topology_machine *machine, char *text, size_t *length,
                          hwloc_obj_t object)
{
    if (object->type == HWLOC_OBJ_PACKAGE) {
        append_separated(text, length, "package");
    } else if (object->type == HWLOC_OBJ_DIE) {
        append_separated(text, length, "die");
    }
    append_memory(text, length, object);
    if (hwloc_obj_type_is_dcache(object->type)) {
        char name[16];
        snprintf(name, sizeof name, "L%u ", object->attr->cache.depth);
        append_separated(text, length, name);
        append_bytes(text, length, (double)object->attr->cache.size);
    } else if (object->type == HWLOC_OBJ_CORE) {
        append_core(machine, text, length, object);
    } else if (object->type == HWLOC_OBJ_PU && object->parent->type != HWLOC_OBJ_CORE) {
        append_separated(text, length, "processor");
    }
}

/* --- folding --- */

static bool near(double a, double b)
{
    return a <= b * (1 + ALIKE) && b <= a * (1 + ALIKE);
}

static int usable_of(const struct keel_topology_machine *machine, hwloc_obj_t object)
{
    hwloc_bitmap_t common = hwloc_bitmap_alloc();
    hwloc_bitmap_and(common, object->cpuset, machine->usable);
    int usable = hwloc_bitmap_weight(common);

    hwloc_bitmap_free(common);
    return usable;
}

static double memory_of(hwloc_obj_t object)
{
    double sum =
        object->type == HWLOC_OBJ_NUMANODE ? (double)object->attr->numanode.local_memory : 0;

    for (hwloc_obj_t memory = object->memory_first_child; memory != NULL;
         memory = memory->next_sibling) {
        sum += memory_of(memory);
    }
    return sum;
}

/* Whether the two look the same, with all that is in them. */
static bool alike(const struct keel_topology_machine *machine, hwloc_obj_t a, hwloc_obj_t b)
{
    if (a->type != b->type || a->arity != b->arity || a->memory_arity != b->memory_arity ||
        (hwloc_obj_type_is_cache(a->type) && a->attr->cache.size != b->attr->cache.size) ||
        !near(memory_of(a), memory_of(b)) ||
        keel_topology_machine_kind(machine, a->cpuset) !=
            keel_topology_machine_kind(machine, b->cpuset) ||
        usable_of(machine, a) != usable_of(machine, b)) {
        return false;
    }
    for (unsigned i = 0; i < a->arity; i++) {
        if (!alike(machine, a->children[i], b->children[i])) {
            return false;
        }
    }
    return true;
}

/* --- lines --- */

struct level {
    unsigned depth;
    bool folded; /* it stands for several: the processors are those of the first */
};

/* Blanks up to the column of the processors; a text that is too long is cut. */
static void print_line(const struct keel_topology_machine *machine, FILE *stream,
                       struct level level, char *text, unsigned times,
                       hwloc_const_bitmap_t processors)
{
    char fold[32] = "", list[256], rest[64] = "";
    unsigned depth = level.depth;
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    hwloc_bitmap_and(usable, processors, machine->usable);
    int all = hwloc_bitmap_weight(processors), some = hwloc_bitmap_weight(usable);

    if (times > 1) {
        snprintf(fold, sizeof fold, "  x %u", times);
    }
    snprintf(rest, sizeof rest,
             some == all ? "%s"
             : some == 0 ? "%s (not usable)"
                         : "%s (%d usable)",
             level.folded ? ", ..." : "", some);
    keel_topology_picture_list(processors, (size_t)LIST_MAX - strlen(rest), list);
    size_t most = LIST_COLUMN - 2 - 2 * depth - strlen(fold);
    if (strlen(text) > most) {
        strcpy(text + most - 3, "...");
    }
    int used = fprintf(stream, "%*s%s%s", (int)(2 * depth), "", text, fold);
    fprintf(stream, "%*s%s%s\n", LIST_COLUMN - used, "", list, rest);
    hwloc_bitmap_free(usable);
}

/* The object with those below it that have no siblings, in one line. */
static hwloc_obj_t append_chain(const struct keel_topology_machine *machine, char *text,
                                size_t *length, hwloc_obj_t object)
{
    append_object(machine, text, length, object);
    while (object->arity == 1 ||
           (object->type == HWLOC_OBJ_CORE && object->arity > 0)) { /* nothing of a core is shown */
        object = object->children[0];
        append_object(machine, text, length, object);
    }
    return object;
}

static void print_object(const struct keel_topology_machine *machine, FILE *stream,
                         struct level level, hwloc_obj_t object, unsigned times,
                         hwloc_const_bitmap_t processors);

static void print_children(const struct keel_topology_machine *machine, FILE *stream,
                           struct level level, hwloc_obj_t parent)
{
    hwloc_bitmap_t processors = hwloc_bitmap_alloc();

    for (unsigned i = 0, times; i < parent->arity; i += times) {
        times = 1;
        if (hwloc_bitmap_iszero(parent->children[i]->cpuset)) {
            continue; /* a package whose processors are all offline */
        }
        hwloc_bitmap_copy(processors, parent->children[i]->cpuset);
        for (; i + times < parent->arity &&
               alike(machine, parent->children[i], parent->children[i + times]);
             times++) {
            hwloc_bitmap_or(processors, processors, parent->children[i + times]->cpuset);
        }
        print_object(machine, stream, level, parent->children[i], times, processors);
    }
    hwloc_bitmap_free(processors);
}

static void print_object(const struct keel_topology_machine *machine, FILE *stream,
                         struct level level, hwloc_obj_t object, unsigned times,
                         hwloc_const_bitmap_t processors)
{
    char text[TEXT_MAX] = "";
    size_t length = 0;
    hwloc_obj_t last = append_chain(machine, text, &length, object);

    if (length == 0 && times > 1) {
        append_separated(text, &length, "group");
    }
    if (length > 0) {
        print_line(machine, stream, level, text, times, processors);
        level.depth++;
    }
    level.folded |= times > 1;
    print_children(machine, stream, level, last);
}

void keel_topology_picture_print(const struct keel_topology_machine *machine, FILE *stream)
{
    hwloc_obj_t root = hwloc_get_root_obj(machine->hwloc);

    fprintf(stream, "%-*sPROCESSORS\n", LIST_COLUMN, "MACHINE");
    print_object(machine, stream, (struct level){0, false}, root, 1, root->cpuset);
}
