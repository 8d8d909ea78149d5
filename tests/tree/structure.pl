#!/usr/bin/perl
# How sources depend on each other: headers by what they include, sources by whose functions they call. A
# source is X.h and X.c together.
#
#   structure.pl directions|circles|folders|names|declarations|twice|loads|arrows FILE...
#
# Prints what is wrong, a line each; arrows: which folder needs which other one, for people.
use strict;
use warnings;
use File::Basename 'dirname';

my %rank = (schedules => 0, omp_ext => 1, mpi_backend => 2, bench => 3);

my ($what, @files) = @ARGV;
@files = grep { -f } @files;

sub text_of
{
    my ($file) = @_;
    open my $in, '<', $file or die "$file: $!\n";
    local $/;
    my $text = <$in>;
    $text =~ s{/\*.*?\*/}{ }gs;
    $text =~ s{//[^\n]*}{ }g;
    return $text;
}

sub source_of { my ($file) = @_; $file =~ s/\.\w+$//; return $file }

my (%text, %code, %defined_by, %include, %declared_in, %calls, %call);
for my $file (grep { /\.(c|h|cc)$/ } @files) {
    $text{$file} = text_of($file);
    $code{$file} = $text{$file} =~ s/"(\\.|[^"\\\n])*"/""/gr;
}

# Functions that a source defines: they begin a line, and are static in headers alone. What only stands in a
# header, without a body, is declared there.
for my $file (sort keys %text) {
    my $code = $code{$file};
    my $head = $file =~ /\.h$/ ? qr/^(?!typedef|return|else|#)/m : qr/^(?!static\b|typedef|return|else|#)/m;
    while ($code =~ /$head[a-zA-Z_][\w \t\*]*?\b(\w+)\s*\([^;{}]*\)\s*(\{|;)/gm) {
        my ($name, $rest) = ($1, $2);
        next if $name !~ /^keel_/;
        if ($rest eq '{') {
            $defined_by{$name}{source_of($file)} = 1;
        } elsif ($file =~ /\.h$/) {
            $declared_in{$name} = $file;
        }
    }
}

for my $file (sort keys %text) {
    my $from = source_of($file);
    while ($text{$file} =~ /^#include "([^"]+)"/gm) {
        $include{$file}{$1} = 'includes it';
    }
    # Bodies alone: what a header declares is not called there.
    my $code = $code{$file};
    $code =~ s/^\w[^;{}]*;$//gm if $file =~ /\.h$/;
    $code =~ s/\b(struct|enum|union)\s+\w+//g;
    while ($code =~ /\b(\w+)\b(?!\s*\()|\b(\w+)\s*\(/g) {
        my $name = $1 // $2;
        next if !$defined_by{$name} || $defined_by{$name}{$from} || $calls{$from}{$name}++;
        my @homes = keys %{$defined_by{$name}};
        $call{$from}{$homes[0]} //= "calls $name()" if @homes == 1;
    }
}

sub layer_of { my ($file) = @_; return (split m{/}, $file)[0] }

sub directions
{
    for my $from (sort keys %include) {
        for my $to (sort keys %{$include{$from}}) {
            my ($upper, $lower) = map { $rank{layer_of($_)} } $from, $to;
            print "$from includes $to\n" if defined $upper && defined $lower && $lower > $upper;
        }
    }
}

# Tarjan's strongly connected components of a graph {from}{to} = why.
sub circles_of
{
    my ($graph) = @_;
    my (%index, %low, %on, @stack, @found, $visit);
    my $count = 0;
    $visit = sub {
        my ($node) = @_;
        $index{$node} = $low{$node} = $count++;
        push @stack, $node;
        $on{$node} = 1;
        for my $next (sort keys %{$graph->{$node} // {}}) {
            if (!defined $index{$next}) {
                $visit->($next);
                $low{$node} = $low{$next} if $low{$next} < $low{$node};
            } elsif ($on{$next} && $index{$next} < $low{$node}) {
                $low{$node} = $index{$next};
            }
        }
        return if $low{$node} != $index{$node};
        my ($last, @part);
        do { $last = pop @stack; delete $on{$last}; push @part, $last } while ($last ne $node);
        push @found, [sort @part] if @part > 1;
    };
    no warnings 'recursion';
    $visit->($_) for grep { !defined $index{$_} } sort keys %$graph;
    for my $part (@found) {
        my %in = map { $_ => 1 } @$part;
        print "a circle of ", scalar(@$part), ":\n";
        for my $from (@$part) {
            print "    $from -> $_: $graph->{$from}{$_}\n" for grep { $in{$_} } sort keys %{$graph->{$from}};
        }
    }
}

sub circles
{
    circles_of(\%include);
    circles_of(\%call);
}

sub folders
{
    my %folder;
    for my $from (sort keys %include) {
        for my $to (sort keys %{$include{$from}}) {
            my ($one, $other) = (dirname($from), dirname($to));
            $folder{$one}{$other} //= "$from includes $to" if $one ne $other;
        }
    }
    circles_of(\%folder);
}

# Two files with one name: debuggers and archives know files by that, and so do people.
sub names
{
    my %named;
    for my $file (sort keys %text) { push @{$named{$1}}, $file if $file =~ m{([^/]+)$} }
    print "@{$named{$_}}: one name\n" for grep { @{$named{$_}} > 1 } sort keys %named;
}

# A header declares what sources of its folder define; one without a source of its own (a public header,
# or the interface of an array of descriptors) may declare for others.
sub declarations
{
    for my $name (sort keys %declared_in) {
        my $header = source_of($declared_in{$name});
        next if !$text{"$header.c"} && !$text{"$header.cc"};
        my @homes = keys %{$defined_by{$name} // {}};
        print "$declared_in{$name} declares $name() of $homes[0]\n" if @homes == 1 && dirname($homes[0]) ne dirname($header);
    }
}

# Functions that two sources define: a name belongs to one layer, so that libraries never meet over one.
sub twice
{
    for my $name (sort keys %defined_by) {
        my @homes = sort keys %{$defined_by{$name}};
        print "$name(): @homes\n" if @homes > 1;
    }
}

# Rules that Bazel had itself before version 9, in BUILD files that do not load them.
sub loads
{
    for my $file (@files) {
        open my $in, '<', $file or die "$file: $!\n";
        my $text = do { local $/; <$in> };
        my %rules = map { $_ => 1 } $text =~ /^[ \[]*(?:native\.)?((?:cc|sh)_(?:binary|library|test))\(/gm;
        for my $rule (sort keys %rules) {
            my ($origin, $folder) = $rule =~ /^cc_/ ? ('rules_cc', 'cc') : ('rules_shell', 'shell');
            my $load = "load(\"\@$origin//$folder:$rule.bzl\", \"$rule\")";
            print "$file: needs $load\n" if index($text, $load) < 0;
        }
    }
}

# Arrows between folders, for people: how many calls and includes lead from the one to the other.
sub arrows
{
    my %count;
    for my $from (keys %include) {
        for my $to (keys %{$include{$from}}) {
            my ($one, $other) = ($from =~ s{/[^/]+$}{}r, $to =~ s{/[^/]+$}{}r);
            $count{"$one -> $other"}++ if $one ne $other;
        }
    }
    print "$_ ($count{$_})\n" for sort keys %count;
}

my %do = (directions => \&directions, circles => \&circles, folders => \&folders, names => \&names, declarations => \&declarations, twice => \&twice, loads => \&loads, arrows => \&arrows);
die "structure.pl: no '$what'\n" if !$do{$what};
$do{$what}->();
