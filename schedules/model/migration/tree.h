/* Links between workers along the cluster tree, for the simulation of migration (PAPERS.md K3).
 *
 *   throughputs -> cluster_tree.h -> [links] -> simulate.h
 *
 * Pure. */
#ifndef SCHEDULES_MODEL_MIGRATION_TREE_H
#define SCHEDULES_MODEL_MIGRATION_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedules/model/migration/simulate.h"

/* Links along the paths of the cluster tree (K3), lower levels first: the faster side asks, and,
 * if both_ways, the slower one, too. Writes P - 1 links, or 2 (P - 1), and returns how many.
 * throughput: > 0 and finite; NULL: all alike. scratch: room for
 * keel_migration_tree_scratch(P) bytes, aligned as of malloc. */
uint32_t keel_migration_tree_links(uint32_t workers, const double *throughput, double gamma,
                                   bool both_ways, struct keel_migration_link *link, void *scratch);

size_t keel_migration_tree_scratch(uint32_t workers);

#endif
