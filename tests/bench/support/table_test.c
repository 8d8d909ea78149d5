/* What programs of bench/ print: tables and CSV. */
#define _GNU_SOURCE
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/support/table.h"

/* What print() writes to standard output. */
static const char *output_of(void (*print)(void))
{
    static char text[1024];
    FILE *file = tmpfile();
    int saved = dup(STDOUT_FILENO);

    assert_non_null(file);
    fflush(stdout);
    dup2(fileno(file), STDOUT_FILENO);
    print();
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static void print_small_table(void)
{
    struct table table = {.columns = 2};

    table_add(&table, "name");
    table_add(&table, "ns");
    table_add(&table, "a longer name");
    table_add(&table, "%.1f", 12.25);
    table_print(&table);
}

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
    (void)state;
    assert_string_equal(output_of(print_small_table), "name             ns\n"
                                                      "a longer name  12.2\n");
}

static void print_bars(void)
{
    struct table table = {.columns = 2};
    struct bars bars = {0};

    table_add_row(&table, (const char *const[]){"time, %", "bar", "no cell of this table"});
    table_add_value(&table, "%.2f", 1.5);
    table_add_bar(&table, &bars, true, 1.5, "%.1f", 1.6);
    table_add_value(&table, "%.2f", 1.7);
    table_add_bar(&table, &bars, false, 1.7, "%.1f", 1.6);
    table_add_value(&table, "%.2f", NAN);
    table_add_bar(&table, &bars, true, NAN, "%.1f", 1.6);
    table_add_value(&table, "%.2f", 0);
    table_add_bar(&table, &bars, true, 0, "%.1f", NAN);
    table_print(&table);
    bars_print(&bars);
    bars_print(&(struct bars){0});
}

static void bars_count_where_there_is_a_value_and_a_bar(void **state)
{
    (void)state;
    assert_string_equal(output_of(print_bars), "time, %         bar\n"
                                               "1.50       1.6 held\n"
                                               "1.70     1.6 missed\n"
                                               "-                 -\n"
                                               "0.00              -\n"
                                               "\n1 of 2 bars are held.\n");
}

static void print_rows(void)
{
    csv_heading();
    csv_row("bench", "case", "css,8", "time", 1.5, "ms");
    csv_row("bench", "a \"case\"", "ss", "time", NAN, "ms");
    csv_row("bench", "a \"case\"", "ss", "time", 2, "ms");
}

static void csv_quotes_and_leaves_out_what_is_no_number(void **state)
{
    (void)state;
    assert_string_equal(output_of(print_rows), "bench,case,variant,metric,value,unit\n"
                                               "bench,case,\"css,8\",time,1.5,ms\n"
                                               "bench,\"a \"\"case\"\"\",ss,time,2,ms\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
        cmocka_unit_test(bars_count_where_there_is_a_value_and_a_bar),
        cmocka_unit_test(csv_quotes_and_leaves_out_what_is_no_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
