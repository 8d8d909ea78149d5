#!/usr/bin/perl
# Reads the output of draw.c from standard input and prints, for each label, medians over its
# pictures in a table. The others are compared with the labels "libgomp static" and "libgomp
# dynamic".
use strict;
use warnings;
use lib 'bench/support';
use Report;

my @samples = samples('demo_dir/draw writes', qw(label picture threads time imbalance chunks));
my @labels = unique(map { $_->{label} } @samples);
my %of;
push @{$of{$_->{label}}}, $_ for @samples;

sub median_of
{
    my ($label, $field) = @_;
    return median(map { $_->{$field} } @{$of{$label}});
}

# Its time over that of another label, picture by picture; undef if that was not run.
sub ratio
{
    my ($label, $other) = @_;
    my @one = @{$of{$label}};
    my @other = @{$of{$other} // []};
    return @one == @other ? median(map { $one[$_]{time} / $other[$_]{time} } 0 .. $#one) : undef;
}

# The result of the table and the picture, in a sentence.
sub print_sentence
{
    $of{'libgomp static'} && $of{fac2} or return;
    printf "\nDivided equally (libgomp static), rows keep the busiest thread busy %.0f %% longer than the mean;\n"
        . "under fac2 it is %.0f %%, and a picture takes %s of the time.\n",
        median_of('libgomp static', 'imbalance'), median_of('fac2', 'imbalance'), at('%.2f', ratio('fac2', 'libgomp static'));
}

heading('schedule', 'time [ms]', '/ libgomp static', '/ libgomp dynamic', 'imbalance [%]', 'chunks');
for my $label (@labels) {
    row($label, at('%.2f', 1e3 * median_of($label, 'time')),
        (map { at('%.3f', ratio($label, "libgomp $_")) } 'static', 'dynamic'),
        at('%.2f', median_of($label, 'imbalance')), at('%.0f', median_of($label, 'chunks')));
}
table();
print <<'END';

Medians of all pictures but the first of each process, in which Keel measures the loop for
schedules that want it. Ratios are medians of the ratios in the same round. Imbalance is
(max / mean - 1) x 100 of the times that the threads were busy with rows.
END
print_sentence();
