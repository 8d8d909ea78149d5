/* show_team THREADS...: a loop in a team of each size; prints nothing while each iteration is
 * executed exactly once. */
#include "tests/support/check.h"

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        struct marks marks = marks_of(200);

#pragma omp parallel for schedule(runtime) num_threads(atoi(argv[k]))
        for (int i = 0; i < 200; i++) {
            marks_hit(&marks, (uint64_t)i);
        }
        marks_end(&marks, argv[k]);
    }
    return check_status();
}
