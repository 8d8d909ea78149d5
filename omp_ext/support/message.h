/* Messages to the person who runs the program. */
#ifndef OMP_EXT_SUPPORT_MESSAGE_H
#define OMP_EXT_SUPPORT_MESSAGE_H

#include <stdbool.h>

/* Hands the text to the program's handler; without one, writes "keel: ", the
 * text and a line end to standard error in one piece. At most 511 bytes are kept of that. Any
 * thread. */
__attribute__((format(printf, 1, 2))) void keel_message(const char *format, ...);

/* --- where messages go instead of to standard error ---
 *
 *   keel_message() -> [message] -> the program's handler, or another library's */

/* Sets what gets this library's messages; NULL: nothing does. Waits for a handler that runs in
 * another thread: afterwards the one before is not called any more. Any thread, also from within a
 * handler. */
void keel_message_set_handler(void (*handler)(const char *text, void *context), void *context);

/* Sets where messages go while this library has no handler: a function as keel_message_handled().
 * Once, before the first message. */
void keel_message_set_forward(bool (*forward)(const char *text));

/* Hands a message to the handler, or forwards it. false: there is none, so that it is for standard
 * error. Any thread. */
bool keel_message_handled(const char *text);

#endif
