/* Fuzz target: no file of machine costs, whatever is in it, gives costs that models can't have, and
 * what is written of them reads the same. Aborts where that does not hold. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/machine/machine.h"
#include "omp_ext/support/message_handler.h"
#include "tests/fuzz/driver.h"

static unsigned messages;

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* Takes messages, which the text of a file is a part of. */
static bool take(const char *text)
{
    expect(strlen(text) < 1024, "a message without an end");
    messages++;
    return true;
}

static struct keel_machine read_text(const char *text, size_t size)
{
    struct keel_machine machine;
    FILE *stream = size > 0 ? fmemopen((char *)text, size, "r") : fopen("/dev/null", "r");

    messages = 0;
    keel_machine_begin(&machine);
    if (stream == NULL) {
        abort();
    }
    keel_machine_read_stream(&machine, stream, "costs");
    fclose(stream);
    expect(messages <= 1, "more than one message");
    return machine;
}

static void check(const struct keel_machine *machine)
{
    expect(machine->stated >> KEEL_MACHINE_COSTS == 0, "a cost that is none");
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        double value = machine->value[i];
        expect(value >= 0 && value <= KEEL_MACHINE_COST_MAX, "a value out of its range");
        expect(keel_machine_states(machine, i) || value == keel_machine_costs[i].standard,
               "a standard value that has changed");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = NULL;
    size_t length;

    keel_message_set_forward(take);
    struct keel_machine machine = read_text((const char *)data, size);
    check(&machine);
    FILE *stream = open_memstream(&text, &length);
    keel_machine_print(&machine, stream);
    fclose(stream);
    struct keel_machine again = read_text(text, length);
    free(text);
    expect(messages == 0 && again.stated == machine.stated, "it does not read what it has written");
    for (unsigned i = 0; i < KEEL_MACHINE_COSTS; i++) {
        double value = machine.value[i], error = again.value[i] - value;
        expect((error < 0 ? -error : error) <= 1e-5 * value, "another value is read");
    }
    return 0;
}
