#!/usr/bin/perl
# Reads the output of shared_loops.c from standard input and prints medians over rounds
# and instances, a table for each part. Bars are upper limits for Keel.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $counter_bar_ns = 300;
my $alone_bar = 1.01;
# For the policies in @barred: `rate` knows rates from the second instance on.
my %unequal_bar = ('400 x 1 ms,' => 1.03, '40 x 20 ms,' => 1.07);
my @barred = qw(af rate tree);

my @samples = samples('shared_dir/shared_loops writes', qw(kind case variant round instance value));

# Rounds change the order, so that variants are sorted.
sub variants
{
    return sort(unique(map { $_->{variant} } selected(\@samples, @_)));
}

sub values_of
{
    return map { $_->{value} } selected(\@samples, @_);
}

# Medians and worst of first instances, and of later ones.
sub unequal
{
    my @all = selected(\@samples, 'unequal', @_);
    my @first = map { $_->{value} } grep { $_->{instance} == 1 } @all;
    my @later = map { $_->{value} } grep { $_->{instance} >= 2 } @all;
    return (median(@first), quantile(1, @first), median(@later), quantile(1, @later));
}

sub print_unequal
{
    for my $case (cases_of(\@samples, 'unequal')) {
        print "\nTwo ranks on two cores, rank 0 three times slower: $case; time / ideal\n";
        heading('policy', 'first instance', 'worst', 'later instances', 'worst', 'bar');
        my ($length) = $case =~ /^(.*?,)/;
        for my $policy (variants('unequal', $case)) {
            my @of = unequal($case, $policy);
            my $limit = (grep { $_ eq $policy } @barred) ? $unequal_bar{$length // ''} : undef;
            my $judged = $policy eq 'rate' ? $of[2] : max(grep { defined } $of[0], $of[2]);
            row($policy, (map { at('%.3f', $_) } @of), bar('%.2f', $judged, $limit));
        }
        table();
    }
    print "Medians, and the worst, over all rounds. Ideal: both ranks end at the same time. The bar is for\n",
        "both medians, for rate for that of the later instances. Window: the ranks share memory; messages:\n",
        "they are treated as two nodes, which send messages.\n" if cases_of(\@samples, 'unequal');
}

sub print_counter
{
    my @cases = cases_of(\@samples, 'counter') or return;
    print "\nEmpty iterations one at a time (ss, explicit loop); ns per iteration of the whole job\n";
    heading('ranks', 'keel', 'worst', 'MPI_Fetch_and_op', 'ratio', 'bar');
    for my $ranks (@cases) {
        my @keel = values_of('counter', $ranks, 'keel');
        my $bare = median(values_of('counter', $ranks, 'fetch_and_op'));
        row($ranks + 0, at('%.1f', median(@keel)), at('%.1f', quantile(1, @keel)), at('%.1f', $bare),
            at('%.3f', over(median(@keel), $bare)), bar('%.0f', median(@keel), $counter_bar_ns));
    }
    table();
    print "Medians of loops that take turns in one job, from the first rank's start to the last one's end;\n",
        "keel's are whole shared loops. MPI_Fetch_and_op: a bare loop over a counter in a window of\n",
        "MPI_Win_allocate_shared, as Keel's is.\n";
}

sub print_alone
{
    my @cases = cases_of(\@samples, 'alone') or return;
    print "\nA loop on one rank, two threads, shared and not; ms\n";
    heading('schedule', 'not shared', 'shared', 'ratio', 'bar');
    for my $schedule (@cases) {
        my ($unshared, $shared) = map { median(values_of('alone', $schedule, $_)) } 'unshared', 'shared';
        my $ratio = over($shared, $unshared);
        row($schedule, (map { at('%.4f', $_) } $unshared, $shared, $ratio), bar('%.2f', $ratio, $alone_bar));
    }
    table();
    print "Medians of loops that take turns in one process, and their ratio.\n";
}

sub print_empty
{
    my @cases = cases_of(\@samples, 'empty') or return;
    my @policies = variants('empty');
    print "\nAn empty loop of N iterations on two ranks, from begin to end; us\n";
    heading('loop', @policies);
    for my $case (@cases) {
        row($case, map { at('%.2f', median(values_of('empty', $case, $_))) } @policies);
    }
    table();
    print "Medians of many loops in a row. Their ends wait for all ranks, as MPI_Barrier does.\n";
}

print_unequal();
print_counter();
print_alone();
print_empty();
bars();
