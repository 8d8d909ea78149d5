#!/bin/bash
# What the reports of bench/ share: quantiles, tables, rows and bars, of samples that are written down here.
source tests/support/tap.sh

# with_report PROGRAM: in Perl, of the standard input.
with_report()
{
    perl -Ibench/support -MReport -we "$1"
}

is "$(with_report 'print join " ", map { quantile($_, 4, 1, 3, 2) } 0, 0.5, 1, 0.25')" '1 2.5 4 1.75' 'quantiles lie between values'
is "$(with_report 'print median(100, 9, 10), " ", median(7, undef)')" '10 7' 'values that are missing do not count'
is "$(with_report 'print defined median() ? "some" : "none"')" none 'of none there is none'
is "$(with_report 'print defined over(1, 0) || defined over(undef, 1) ? "some" : over(1, 4)')" 0.25 'a ratio has both values'
is "$(with_report 'print join " ", unique(qw(b a b c a))')" 'b a c' 'names keep their order'

is "$(printf 'a\t1\nb\t22\n' | with_report '
    my @samples = samples("the test writes", qw(name value));
    heading("name", "value", "bar");
    row($_->{name}, at("%.1f", $_->{value}), bar("%.0f", $_->{value}, 10)) for @samples;
    row("none", at("%.1f", undef), bar("%.0f", undef, 10));
    row("more", at("%.1f", 3), least("%.0f", 3, 2));
    table();
    bars();')" "$(printf '%s\n' 'name  value        bar' 'a       1.0    10 held' 'b      22.0  10 missed' 'none      -          -' \
    'more    3.0     2 held' '' '2 of 3 bars are held.')" 'a table has columns, and counts its bars'

is "$(with_report 'csv("b", "a, b", "say \"x\"", "time", 1/3, "ms"); csv("b", "c", "v", "time", undef, "s")')" \
    'b,"a, b","say ""x""",time,0.333333333,ms' 'rows are quoted where they have to be, and left out without a value'

# refused INPUT NAME
refused()
{
    local messages
    messages=$(printf "$1" | with_report 'samples("the test writes", qw(name value))' 2>&1)
    is "$?: $messages" '1: keel: report: the input is not what the test writes' "$2"
}
refused '' 'no sample is refused'
refused 'a\n' 'a field too few'
refused 'a\t1\t2\n' 'a field too many'
done_testing
