/* A library that has nothing but a variable of each thread's own. */
extern __thread int keel_test_per_thread __attribute__((tls_model("initial-exec")));
__thread int keel_test_per_thread;
