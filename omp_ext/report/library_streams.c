/* libjansson.a is not made for shared libraries: it refers to `stdin` as programs may. What it does
 * with that is never called, so the linker makes it this. */
extern const void *const keel_report_no_stream;
const void *const keel_report_no_stream = 0;
