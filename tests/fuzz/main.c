/* The driver of a target that has its texts in `fuzz_texts`. */
#include "tests/fuzz/driver.h"

int main(int count, char **arguments)
{
    return fuzz_drive(&fuzz_texts, count, arguments);
}
