/* Loads the library given as its argument, and runs the loop in it; with another argument, after
 * its file was deleted. With -DLIBRARY, it is that library. For source_lines_test.sh. */
#ifdef LIBRARY

void fill(int n, double *v)
{
#pragma omp parallel for schedule(runtime)
    for (int i = 0; i < n; i++)
        v[i] = i;
}

#else

#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static double v[100];
    void *library = argc >= 2 ? dlopen(argv[1], RTLD_NOW) : 0;
    void (*fill)(int, double *) =
        library == 0 ? 0 : (void (*)(int, double *))dlsym(library, "fill");

    if (fill == 0) {
        return 1;
    }
    if (argc > 2) {
        unlink(argv[1]);
    }
    fill(100, v);
    return 0;
}

#endif
