/* Messages to objects as they come from other ranks. */
#include <stddef.h>
#include <stdlib.h>

#include "mpi_backend/objects/objects.h"
#include "tests/support/unit.h"

/* What a rank does with a message follows from all of it; the epoch keeps it from going round. */
TEST(a_message_is_what_its_record_says)
{
    static const char text[] = "text";
    const struct keel_mpi_object_record record = {.index = 7,
                                                  .bytes = sizeof text,
                                                  .kind = KEEL_MPI_RECORD_RETURNED,
                                                  .handler = 2,
                                                  .sender = 3,
                                                  .number = 4,
                                                  .epoch = 9};
    struct keel_mpi_objects *objects = calloc(1, sizeof *objects);

    assert_non_null(objects);
    keel_mpi_delivery_take(objects, &record, text);
    struct keel_mpi_object_message *message = objects->returned.first;
    assert_int_equal(objects->returned.count, 1);
    assert_true(message->index == 7 && message->bytes == sizeof text);
    assert_int_equal(message->handler, 2);
    assert_int_equal(message->sender, 3);
    assert_int_equal(message->number, 4);
    assert_int_equal(message->epoch, 9);
    assert_string_equal(message->payload, text);
    free(message);
    free(objects);
}
