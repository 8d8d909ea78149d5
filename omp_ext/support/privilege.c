/* What the kernel says of a program's rights. */
#include "omp_ext/support/privilege.h"

#include <sys/auxv.h>

#include "omp_ext/support/message.h"

bool keel_privilege_is_raised(void)
{
    return getauxval(AT_SECURE) != 0;
}

bool keel_privilege_forbids(const char *name)
{
    if (!keel_privilege_is_raised()) {
        return false;
    }
    keel_message("%s: ignored, as it names a file, and this program has rights that its caller "
                 "need not have (setuid, setgid or capabilities)",
                 name);
    return true;
}
