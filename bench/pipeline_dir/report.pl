#!/usr/bin/perl
# Reads samples of support/sample.h about pipelined sweeps from standard input, and compares the
# blocks that were chosen with the best ones of a fixed size; with --csv rows.
#
# Samples of kind `sweep` are ms of a sweep, those of `block` its size; the variant is the size
# that was asked for, 0 for the chosen one. Rounds count from 1; round 0 only warms up.
use strict;
use warnings;
use lib 'bench/support';
use Report;

my $bar = 1.05; # chosen over best

my @samples = samples('pipeline_dir/sampler writes', qw(kind case variant round instance value));

sub median_of
{
    my ($kind, $case, $size) = @_;
    return median(map { $_->{value} }
        grep { $_->{round} > 0 && $_->{kind} eq $kind && $_->{case} eq $case && $_->{variant} eq $size } @samples);
}

my $csv = @ARGV && $ARGV[0] eq '--csv';
csv_heading() if $csv;
heading('sweeps', 'chosen block', 'ms', 'best block', 'ms', 'ratio', 'bar');
for my $case (unique(map { $_->{case} } @samples)) {
    my @sizes = sort { $a <=> $b } unique(map { $_->{variant} } grep { $_->{case} eq $case } @samples);
    my %ms = map { $_ => median_of('sweep', $case, $_) } @sizes;
    my ($best) = sort { $ms{$a} <=> $ms{$b} } grep { $_ ne '0' && defined $ms{$_} } @sizes;
    my $chosen = median_of('block', $case, '0');
    my $ratio = over($ms{0}, $ms{$best // ''});
    if ($csv) {
        csv('pipeline', $case, $_ eq '0' ? 'chosen' : $_, 'median', $ms{$_}, 'ms') for @sizes;
        csv('pipeline', $case, 'chosen', 'block', $chosen, 'elements');
        csv('pipeline', $case, 'chosen', 'over best', $ratio, '1');
    }
    row($case, at('%.0f', $chosen), at('%.4f', $ms{0}), at('%.0f', $best), at('%.4f', $ms{$best // ''}),
        at('%.3f', $ratio), bar('%.2f', $ratio, $bar));
}
exit if $csv;
table();
bars();
