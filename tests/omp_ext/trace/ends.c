/* Loops before and after something that ends the process, or takes its files away. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define INSTANCES 40
#define ITERATIONS 200

static volatile double sink;

static void work(long i)
{
    double sum = 0;

    for (long k = 0; k < 20 + i % 50; k++) {
        sum += (double)k;
    }
    sink = sum;
}

/* More events than a thread keeps, so that pieces are written. */
static void run(void)
{
    for (int k = 0; k < INSTANCES; k++) {
#pragma omp parallel for schedule(runtime)
        for (long i = 0; i < ITERATIONS; i++) {
            work(i);
        }
    }
}

static void in_child(void)
{
    pid_t child = fork();

    if (child == 0) {
#pragma omp parallel for schedule(runtime) num_threads(1) /* libgomp's others are not there */
        for (long i = 0; i < 5000; i++) {
            work(i);
        }
        exit(0);
    }
    waitpid(child, NULL, 0);
}

/* As programs do that become servers; what they open then has the numbers of what was there. */
static void close_all(const char *other)
{
    for (int descriptor = 3; descriptor < 1024; descriptor++) {
        close(descriptor);
    }
    for (int k = 0; k < 100; k++) {
        if (open(other, O_RDWR | O_CREAT, 0666) < 0) {
            exit(1);
        }
    }
}

static void end_by(const char *end, char **argv)
{
    if (strcmp(end, "_exit") == 0) {
        _exit(3);
    } else if (strcmp(end, "quick_exit") == 0) {
        quick_exit(4);
    } else if (strcmp(end, "kill") == 0) {
        raise(SIGKILL);
    } else if (strcmp(end, "abort") == 0) {
        abort();
    } else if (strcmp(end, "exec") == 0) {
        execl(argv[0], argv[0], "again", (char *)NULL);
    }
}

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";

    errno = 0;
    run();
    if (errno != 0) {
        printf("errno is %s\n", strerror(errno));
    }
    end_by(end, argv);
    if (strcmp(end, "fork") == 0) {
        in_child();
        run();
    } else if (strcmp(end, "close") == 0) {
        close_all(argv[2]);
        run();
    } else if (strcmp(end, "overwrite") == 0) {
        fclose(fopen(getenv("KEEL_TRACE"), "w")); /* as another program does */
        run();
    } else if (strcmp(end, "elsewhere") == 0 && chdir("/") == 0) {
        run();
    }
    printf("done\n");
    return 5;
}
