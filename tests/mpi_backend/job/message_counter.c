/* A handler of messages in a library of its own. */
#include <stdatomic.h>

void count_message(const char *text, void *context);
void count_message(const char *text, void *context)
{
    (void)text;
    atomic_fetch_add((atomic_uint *)context, 1);
}
