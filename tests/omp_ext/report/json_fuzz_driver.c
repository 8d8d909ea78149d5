/* Feeds json_fuzz with reports. */
#include "tests/fuzz/driver.h"

static const char *const seeds[] = {
    "{\"keel_report\":1,\"processes\":[]}",
    "{\"keel_report\":1,\"processes\":[{\"program\":\"./p\",\"host\":\"h\",\"job\":\"j\","
    "\"pid\":7,\"rank\":1,\"ranks\":2,\"complete\":true,\"elapsed_s\":2.5,\"serial_s\":0.5,"
    "\"mpi_s\":0.1,\"threads\":2,\"cores\":{\"online\":4,\"allowed\":1,\"quota\":0.5},"
    "\"loop\":[{\"kind\":\"region\",\"region\":-1,\"elapsed_s\":2,\"threads\":2,"
    "\"thread\":[{\"busy_s\":1},{\"busy_s\":2,\"waited_s\":0.1}]},"
    "{\"kind\":\"loop\",\"function\":\"f\",\"file\":\"a.c\",\"line\":3,\"place\":\"a.c:3\","
    "\"region\":0,\"nested\":false,\"schedule\":\"fac2\",\"suggestion\":\"gss\",\"gain_s\":0.1,"
    "\"instances\":3,\"iterations\":30,\"elapsed_s\":1,\"threads\":2,"
    "\"thread\":[{\"busy_s\":0.5,\"chunks\":3},{\"busy_s\":1,\"claiming_s\":1e-3}],"
    "\"measured\":{\"iteration_s\":0.1,\"costs\":[1,2],\"speeds\":[0.5,1.5]}}],"
    "\"shared\":[{\"place\":\"a.c:9\",\"schedule\":\"tree\",\"iterations\":10,\"executed\":5}],"
    "\"rows\":[{\"name\":\"t\",\"hooks\":3,\"decision\":[{\"hook\":1,\"gain\":-0.5,"
    "\"policy\":\"rate\",\"reason\":\"r\"}]}]},{\"rank\":0,\"ranks\":2,\"job\":\"j\"}]}",
    "{\"keel_report\":1,\"processes\":[{},{\"loop\":[{},{\"kind\":\"part\",\"region\":0}]}]}",
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
    "0.5",
    "1e400",
    "-0.0",
    "null",
    "true",
    "\"\"",
    "[]",
    "{}",
    "65537",
    "2147483648",
    "4611686018427387904",
    "\\u0000",
    "\xff",
    "\x1b[2J",
    "1e-320",
    "9223372036854775808",
    "\"region\"",
    "\"loop\"",
    "\"thread\":",
    "\"ranks\":",
    "\"rows\":[{}]",
    "1e308",
    "\"ranks\":2147483647",
};

int main(int count, char **arguments)
{
    static const struct fuzz_texts texts = {
        .seeds = seeds,
        .seed_count = sizeof seeds / sizeof seeds[0],
        .pieces = pieces,
        .piece_count = sizeof pieces / sizeof pieces[0],
        .separators = ",:[]{}",
        .text_max = FUZZ_TEXT_MAX,
        .edits_max = 4,
    };

    return fuzz_drive(&texts, count, arguments);
}
