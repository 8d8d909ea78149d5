/* Included before each source of binaries for old systems (.ci/tarball), which are linked with
 * glibc 2.31: what it has newer than 2.28 is had as before. Mathematical functions that 2.29 has
 * anew are those of all earlier ones, which differ in errno alone; Keel does not read that.
 * gettid() is of 2.30. */
#if defined __x86_64__ && !defined __cplusplus

__asm__(".symver exp,exp@GLIBC_2.2.5\n"
        ".symver log,log@GLIBC_2.2.5\n"
        ".symver log2,log2@GLIBC_2.2.5\n"
        ".symver pow,pow@GLIBC_2.2.5\n");

long syscall(long number, ...);

static inline int keel_old_gettid(void)
{
    return (int)syscall(186);
}

#define gettid keel_old_gettid

#endif
