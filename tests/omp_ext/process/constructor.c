/* A thread loads a shared object whose constructor runs a loop, while the main thread comes to its
 * own first loop: constructor FILE. Compiled with -DPART, it is such an object. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static long sum;

static void loop(void)
{
#pragma omp parallel for schedule(runtime) num_threads(2) reduction(+ : sum)
    for (int i = 0; i < 100; i++) {
        sum += i;
    }
}

#ifdef PART

extern int constructor_started;

__attribute__((constructor)) static void run(void)
{
    __atomic_store_n(&constructor_started, 1, __ATOMIC_RELEASE);
    usleep(50000); /* the other thread comes to wait for the dynamic linker */
    loop();
}

#else

int constructor_started;

static void *load(void *file)
{
    return dlopen(file, RTLD_NOW);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    void *handle = NULL;

    pthread_create(&thread, NULL, load, argv[argc - 1]);
    while (!__atomic_load_n(&constructor_started, __ATOMIC_ACQUIRE)) {
        usleep(100);
    }
    loop();
    pthread_join(thread, &handle);
    printf("%ld, %s\n", sum, handle != NULL ? "loaded" : dlerror());
    return 0;
}

#endif
