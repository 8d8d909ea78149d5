/* What this process may use of its machine. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

#include "omp_ext/machine/cores.h"
#include "omp_ext/places/processors.h"
#include "omp_ext/topology/topology.h"
#include "schedules/text/text.h"

#define PROCESSORS_MAX 8192 /* CONFIG_NR_CPUS of large kernels */
#define SAME_SPEED 0.9      /* of the fastest: one kind, as in schedules/claim/claim_placement.c */

static unsigned find_allowed(unsigned number[PROCESSORS_MAX])
{
    cpu_set_t *set = CPU_ALLOC(PROCESSORS_MAX);
    size_t size = CPU_ALLOC_SIZE(PROCESSORS_MAX);
    unsigned count = 0;

    if (set != NULL && sched_getaffinity(0, size, set) == 0) {
        for (unsigned i = 0; i < PROCESSORS_MAX; i++) {
            if (CPU_ISSET_S(i, size, set)) {
                number[count++] = i;
            }
        }
    }
    CPU_FREE(set);
    return count;
}

void keel_topology_list(const unsigned *number, unsigned count, char *list, unsigned size)
{
    size_t length = 0;

    list[0] = '\0';
    for (unsigned i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && number[end] == number[end - 1] + 1; end++) {
        }
        if (length + 24 > size) {
            keel_text_append(list, size, length, ",...");
            return;
        }
        length = keel_text_append(list, size, length, "%s%u", i > 0 ? "," : "", number[i]);
        if (end - i > 1) {
            length = keel_text_append(list, size, length, "-%u", number[end - 1]);
        }
    }
}

/* Whether an earlier processor has the same core, or with `node` the same NUMA node. */
static bool is_known(const struct keel_processor *processor, unsigned i, bool node)
{
    for (unsigned j = 0; j < i; j++) {
        if (node ? processor[j].node == processor[i].node
                 : processor[j].core == processor[i].core) {
            return true;
        }
    }
    return false;
}

static void count(const struct keel_processor *processor, struct keel_topology_facts *facts)
{
    double most = 0;

    for (unsigned i = 0; i < facts->processors; i++) {
        facts->cores += !is_known(processor, i, false);
        facts->nodes += !is_known(processor, i, true);
        most = processor[i].capacity > most ? processor[i].capacity : most;
    }
    for (unsigned i = 0; i < facts->processors; i++) {
        if (processor[i].capacity > 0 && processor[i].capacity < SAME_SPEED * most) {
            facts->kinds = 2;
        }
    }
}

struct keel_topology_facts keel_topology_usable(char *list, unsigned size)
{
    static unsigned number[PROCESSORS_MAX];
    struct keel_cores cores = keel_cores_of_process();
    struct keel_topology_facts facts = {
        .processors = find_allowed(number),
        .online = cores.online,
        .quota = cores.quota,
        .kinds = 1,
    };
    struct keel_processor *processor = calloc(facts.processors + 1, sizeof *processor);

    keel_topology_list(number, facts.processors, list, size);
    if (processor != NULL) {
        keel_processors_read("", number, facts.processors, processor);
        count(processor, &facts);
    }
    free(processor);
    facts.processors = facts.processors > 0 ? facts.processors : cores.allowed;
    facts.cores = facts.cores > 0 ? facts.cores : facts.processors;
    return facts;
}
