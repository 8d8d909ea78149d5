/* MPI that comes with dlopen(), as into an interpreter: plug LIBRARY loads this source as a
 * library, built with -DPLUG. */
#ifdef PLUG
#include <mpi.h>

void run(void);
void run(void)
{
    MPI_Init(0, 0);
    for (int i = 0; i < 3; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void (*run)(void) = library != NULL ? (void (*)(void))dlsym(library, "run") : NULL;

    if (run == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    run();
    return 0;
}
#endif
