/* A shared library to be found. */
extern int anchor(void);
extern int anchored;

int anchored = 1;

int anchor(void)
{
    return anchored;
}
