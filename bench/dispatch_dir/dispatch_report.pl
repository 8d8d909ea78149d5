#!/usr/bin/perl
# Reads the samples of bench/dispatch from standard input, see sampler.c, and prints medians,
# quartiles and ratios in tables. A ratio is the median of the ratios within sweeps.
use strict;
use warnings;
use lib 'bench/support';
use Report;

# By the beginning of a sample's kind: heading, unit, baselines.
my @kinds = (
    ['chunk', 'Time to hand out one chunk, all threads together (loops of under 200 chunks: their start included; '
            . 'their dynamic,1 has as many)', 'ns/chunk', 'dynamic,1', 'guided', 'fetch-add'],
    ['parallel for', 'parallel for with one iteration per thread', 'ns/loop', 'dynamic', 'static'],
    ['for nowait', 'for nowait with one iteration per thread', 'ns/loop', 'dynamic', 'static'],
    ['idle chunk', 'libkeel.so loaded, but not asked for anything: a chunk', 'ns/chunk', 'not loaded'],
    ['idle', 'libkeel.so loaded, but not asked for anything: a loop', 'ns/loop', 'not loaded']);

my @samples = samples('dispatch_dir/sampler writes', qw(kind threads variant detail chunks baselines sweep value));
my %series; # by kind, threads and variant
push @{$series{$_->{kind}, $_->{threads}, $_->{variant}}}, $_ for @samples;

sub kind_of
{
    my ($name) = @_;
    my $kind = first { $name eq $_->[0] || ($name =~ /^idle/ && index($name, $_->[0]) == 0) } @kinds;
    return $kind // die "keel: report: '$name' is no known kind\n";
}

# ratio_to SAMPLES, LABEL: to the baseline of that label, "LABEL=VARIANT;..."; undef if there is no
# such baseline.
sub ratio_to
{
    my ($of, $label) = @_;
    my $head = $of->[0];
    my %baseline = map { /^(.*?)=(.*)$/ ? ($1 => $2) : () } split /;/, $head->{baselines};
    for my $name (grep { defined } $baseline{$label}) {
        my %in_sweep = map { $_->{sweep} => $_->{value} } @{$series{$head->{kind}, $head->{threads}, $name} // []};
        return median(map { over($_->{value}, $in_sweep{$_->{sweep}}) } @$of);
    }
    return undef;
}

sub cells
{
    my ($of, @labels) = @_;
    my @values = map { $_->{value} } @$of;
    return ((map { at('%.2f', quantile($_, @values)) } 0.5, 0.25, 0.75), map { at('%.3f', ratio_to($of, $_)) } @labels);
}

sub print_case
{
    my ($name, $threads) = @_;
    my ($prefix, $text, $unit, @labels) = @{kind_of($name)};
    printf "\n%s, %s thread%s%s\n", $text, $threads, $threads == 1 ? '' : 's',
        $name =~ /^idle/ ? ' (' . substr($name, 5) . ')' : '';
    heading('variant', 'as', 'chunks', $unit, '1st quartile', '3rd quartile', map { "/ $_" } @labels);
    for my $variant (unique(map { $_->{variant} } grep { $_->{kind} eq $name && $_->{threads} eq $threads } @samples)) {
        my $of = $series{$name, $threads, $variant};
        row($variant, $of->[0]{detail}, $of->[0]{chunks} > 0 ? $of->[0]{chunks} : '-', cells($of, @labels));
    }
    table();
}

print_case(split /\t/) for unique(map { "$_->{kind}\t$_->{threads}" } @samples);
