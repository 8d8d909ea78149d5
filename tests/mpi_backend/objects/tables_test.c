/* Tables of objects and of locations: against plain arrays, after random changes; in bounded
 * memory. KEEL_TEST_SEED repeats a run. */
#include <stddef.h>
#include <string.h>

#include "mpi_backend/objects/tables/tables.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

#define INDICES 600
#define CHANGES 20000

/* Few for a while, then many: tables grow and are emptied. */
static bool adds(struct draws *draws, unsigned change)
{
    return draws_below(draws, 10) < (change / 2000 % 2 == 0 ? 7 : 3);
}

static uint64_t index_of(uint64_t number)
{
    return number * 0x100000001u + 5;
}

/* --- locations --- */

static uint32_t epoch_of[INDICES]; /* 0: none */

static void visit_location(void *context, uint64_t index, struct keel_location *location)
{
    uint64_t number = index / 0x100000001u;

    assert_true(number < INDICES && index == index_of(number));
    assert_int_equal(location->epoch, epoch_of[number]);
    ++*(size_t *)context;
}

static void check_locations(const struct keel_mpi_locations *locations)
{
    size_t count = 0, visited = 0;

    for (uint64_t i = 0; i < INDICES; i++) {
        const struct keel_location *found = keel_mpi_locations_find(locations, index_of(i));
        assert_int_equal(found != NULL ? found->epoch : 0, epoch_of[i]);
        count += epoch_of[i] != 0;
    }
    keel_mpi_locations_visit(locations, visit_location, &visited);
    assert_int_equal(visited, count);
    assert_int_equal(locations->count, count);
}

TEST(locations_are_those_that_were_set_last)
{
    struct keel_mpi_locations locations = {0};
    struct draws draws = draws_begin();

    assert_null(keel_mpi_locations_find(&locations, 1));
    memset(epoch_of, 0, sizeof epoch_of);
    for (unsigned change = 0; change < CHANGES; change++) {
        uint64_t number = draws_below(&draws, INDICES);
        epoch_of[number] = adds(&draws, change) ? 1 + change : 0;
        if (epoch_of[number] != 0) {
            struct keel_location location = {.epoch = epoch_of[number]};
            assert_true(keel_mpi_locations_set(&locations, index_of(number), location));
        } else {
            keel_mpi_locations_remove(&locations, index_of(number));
        }
        if (change % 500 == 0) {
            check_locations(&locations);
        }
    }
    check_locations(&locations);
    /* filled to more than half when it grew last */
    assert_in_range(locations.slots, locations.count, 2 * INDICES);
    keel_mpi_locations_clear(&locations);
    assert_int_equal(locations.count, 0);
}

/* --- objects --- */

static struct keel_mpi_object *object_of[INDICES];

static void visit_object(void *context, struct keel_mpi_object *object)
{
    uint64_t number = object->index / 0x100000001u;

    assert_ptr_equal(object_of[number], object);
    ++*(size_t *)context;
}

static void check_table(const struct keel_mpi_table *table, struct draws *draws)
{
    size_t count = 0, visited = 0;

    for (uint64_t i = 0; i < INDICES; i++) {
        assert_ptr_equal(keel_mpi_table_find(table, index_of(i)), object_of[i]);
        count += object_of[i] != NULL;
    }
    keel_mpi_table_visit(table, visit_object, &visited);
    assert_int_equal(visited, count);
    assert_int_equal(table->count, count);
    struct keel_mpi_object *drawn = keel_mpi_table_draw(table, draws_next(draws));
    assert_true(count == 0 ? drawn == NULL : object_of[drawn->index / 0x100000001u] == drawn);
}

TEST(objects_are_found_until_they_are_removed)
{
    struct keel_mpi_table table = {0};
    struct draws draws = draws_begin();
    size_t most = 0;

    for (unsigned change = 0; change < CHANGES; change++) {
        uint64_t number = draws_below(&draws, INDICES);
        if (adds(&draws, change) && object_of[number] == NULL) {
            object_of[number] = keel_mpi_table_add(&table, index_of(number));
            assert_int_equal(object_of[number]->index, index_of(number));
            assert_int_equal(object_of[number]->state, KEEL_MPI_OBJECT_RESTS);
        } else if (object_of[number] != NULL) {
            object_of[number]->messages.count = 1; /* memory is used again, and begins as 0 */
            keel_mpi_table_remove(&table, object_of[number]);
            object_of[number] = NULL;
        }
        assert_true(object_of[number] == NULL || object_of[number]->messages.count == 0);
        if (change % 500 == 0) {
            check_table(&table, &draws);
        }
        most = table.count > most ? table.count : most;
    }
    check_table(&table, &draws);
    /* blocks of 256 objects, and at most twice as many slots as objects */
    size_t object_bytes = (most + 255) / 256 * (256 * sizeof(struct keel_mpi_object) + 16);
    assert_in_range(keel_mpi_table_bytes(&table), most * sizeof(struct keel_mpi_object),
                    object_bytes + 2 * most * sizeof(void *));
    keel_mpi_table_free(&table);
    assert_int_equal(keel_mpi_table_bytes(&table), 0);
}
