/* The order of messages to an object: each sender's come in the order of their numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "schedules/objects/delivery.h"
#include "tests/support/draws.h"

#define SENDERS 20
#define MESSAGES 30

static void messages_of_each_sender_come_in_order(void **state)
{
    struct draws draws = draws_begin();

    (void)state;
    for (int i = 0; i < 300; i++) {
        struct keel_order order = {0};
        bool came[SENDERS][MESSAGES] = {{false}};
        uint32_t next[SENDERS] = {0}, senders = 1 + (uint32_t)draws_below(&draws, SENDERS);
        uint32_t left = senders * MESSAGES;
        while (left > 0) { /* one arrives that has not come yet; it is due or tries again */
            uint32_t sender = (uint32_t)draws_below(&draws, senders);
            uint32_t number = (uint32_t)draws_below(&draws, MESSAGES);
            bool due = keel_order_is_due(&order, sender * 7919, number);
            assert_int_equal(due, number == next[sender]);
            if (due && !came[sender][number]) {
                came[sender][number] = true;
                next[sender]++;
                left--;
                assert_true(keel_order_advance(&order, sender * 7919, realloc));
            }
        }
        assert_int_equal(order.count, senders);
        for (uint32_t j = 1; j < order.count; j++) {
            assert_true(order.entry[j - 1].sender < order.entry[j].sender);
        }
        free(order.entry);
    }
}

static void *no_memory(void *memory, size_t size)
{
    (void)memory;
    (void)size;
    return NULL;
}

static void without_memory_nothing_changes(void **state)
{
    struct keel_order order = {0};

    (void)state;
    assert_false(keel_order_advance(&order, 3, no_memory));
    assert_int_equal(order.count, 0);
    assert_true(keel_order_is_due(&order, 3, 0));
    assert_true(keel_order_advance(&order, 3, realloc));
    assert_true(keel_order_advance(&order, 3, no_memory)); /* it is known */
    assert_true(keel_order_is_due(&order, 3, 2));
    free(order.entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_each_sender_come_in_order),
        cmocka_unit_test(without_memory_nothing_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
