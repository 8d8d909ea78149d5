/* Links of the cluster tree. */
#include "schedules/model/migration/tree.h"

#include "schedules/balance/cluster_tree.h"

size_t keel_migration_tree_scratch(uint32_t workers)
{
    return keel_cluster_tree_scratch(workers) + workers * sizeof(struct keel_tree_join) +
           workers * sizeof(uint32_t);
}

uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, double gamma,
                                   bool both_ways, struct keel_migration_link *link, void *scratch)
{
    char *room = (char *)scratch + keel_cluster_tree_scratch(workers);
    struct keel_tree_join *join = (void *)room;
    uint32_t *next = (void *)(join + workers);
    uint32_t joins = keel_cluster_tree_joins(workers, throughput, next, join, scratch), links = 0;

    for (uint32_t j = 0; j < joins; j++) {
        link[links++] = (struct keel_migration_link){join[j].right, join[j].left_last, gamma};
        if (both_ways) {
            link[links++] = (struct keel_migration_link){join[j].left_last, join[j].right, gamma};
        }
    }
    return links;
}
