/* Flags for compilers, printed so that a shell or make reads each as one word. */
#ifndef OMP_EXT_COMMAND_PARTS_SHELL_WORD_H
#define OMP_EXT_COMMAND_PARTS_SHELL_WORD_H

/* Prints the text to standard output with a backslash before every character that a shell would
 * not take as it is. */
void keel_shell_word_print(const char *text);

#endif
