/* Feeds lines_fuzz with traces. */
#include "tests/fuzz/driver.h"

static const char *const seeds[] = {
    "[\n{\"name\":\"keel_trace\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"boot\":\"b\","
    "\"epoch_us\":5}},\n"
    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"tid\":0,\"args\":{\"name\":\"rank 0\"}},\n"
    "{\"name\":\"hydro.c:42\",\"cat\":\"region\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":10.250,"
    "\"dur\":3.125,\"args\":{\"instance\":4,\"threads\":2}},\n"
    "{\"name\":\"hydro.c:42\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":10.250,"
    "\"dur\":1.125,\"args\":{\"instance\":4,\"first\":128,\"last\":160}},\n"
    "{\"name\":\"wait\",\"cat\":\"wait\",\"ph\":\"X\",\"pid\":0,\"tid\":1,\"ts\":12,\"dur\":1,"
    "\"args\":{\"loop\":\"a\",\"where\":\"end\"}}\n]\n",
    "[\n{\"name\":\"a\",\"cat\":\"loop\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":-1e3,\"dur\":1e9,"
    "\"args\":{\"instance\":1,\"schedule\":\"fac2\",\"iterations\":10,\"threads\":3}},\n"
    "{\"name\":\"decision\",\"cat\":\"decision\",\"ph\":\"i\",\"pid\":1,\"tid\":0,\"ts\":3,"
    "\"args\":{\"gain\":0.5}},\n"
    "{\"name\":\"rate\",\"ph\":\"C\",\"pid\":1,\"tid\":0,\"ts\":4,\"args\":{\"thread 0\":1.5}},\n"
    "{\"name\":\"rows\",\"cat\":\"move\",\"ph\":\"X\",\"pid\":1,\"tid\":0,\"ts\":4,\"dur\":2,"
    "\"args\":{\"from\":0,\"to\":1,\"first\":3,\"last\":9,\"bytes\":4096}},\n",
    "loop,instance,thread,first,last,time_ns\nhydro.c:42,0,1,128,160,1250\n# remark\n"
    "hydro.c:42,1,0,0,1,0\n",
};

static const char *const pieces[] = {
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "-1",
    "1e9",
    "1e18",
    "1e400",
    "-0.0",
    "null",
    "true",
    "\"\"",
    "\n",
    "",
    "\xff",
    "\\u0000",
    "1e-320",
    "9223372036854775807",
    "1e308",
    "65537",
    "2147483648",
    "18446744073709551615",
    "-9223372036854775808",
    "\"ts\":",
    "\"dur\":",
    "\"pid\":",
    "\"args\":{}",
    "\"ph\":\"X\"",
    "\"ph\":\"C\"",
    "\"ph\":\"M\"",
    "\"ph\":\"i\"",
    "\"cat\":\"region\"",
    "\"cat\":\"move\"",
    "9999999999999999999999",
};

int main(int count, char **arguments)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_count = sizeof seeds / sizeof seeds[0],
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = ",:[]{}\n",
        .text_max = FUZZ_TEXT_MAX,
        .edits_max = 4,
    };

    return fuzz_drive(&texts, count, arguments);
}
