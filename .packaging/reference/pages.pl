#!/usr/bin/perl
# Makes manual pages:  pages.pl KEEL KEEL.H KEEL_MPI.H KEEL_MPI_OBJECTS.H FOLDER
#
#   keel --help, keel SUBCOMMAND --help -> keel(1), keel-SUBCOMMAND(1)
#   keel list, keel list --mpi          -> keel_schedules(7)
#   keel env --markdown                 -> keel_environment(7)
#   comments of the headers             -> keel.h(3), keel_mpi(3), keel_mpi_objects(3), keel_mpi_recovery(3), and a link for each function
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use help;

# A C header as data: comments, and the declarations below each.
package header;

# A comment without its stars. Lines that are indented are code, and stay apart.
sub text_of
{
    my ($comment) = @_;
    $comment =~ s{^\s*/\*+ ?}{};
    $comment =~ s{\s*\*/\s*$}{};
    $comment =~ s/^\s*\*( |$)//mg;
    return $comment;
}

# [kind, text] of a comment's paragraphs: prose or code.
sub parts_of
{
    my @parts;
    for my $paragraph (split /\n\s*\n/, $_[0]) {
        my $last = '';
        for my $line (split /\n/, $paragraph) {
            my $kind = $line =~ /^    \s*\S/ ? 'code' : 'prose';
            $line =~ s/^    // if $kind eq 'code';
            if ($kind eq $last) {
                $parts[-1][1] .= ($kind eq 'code' ? "\n" : ' ') . $line;
            } else {
                push @parts, [$kind, $line];
            }
            $last = $kind;
        }
    }
    return \@parts;
}

# The header's own comments, and {comment, code} for each declaration that has one.
sub read_header
{
    my ($file) = @_;
    open(my $in, '<', $file) or die "$file: $!\n";
    my $text = do { local $/; <$in> };
    close($in);
    my ($before, $after) = split /^#ifndef KEEL\w*_H\n/m, $text, 2;
    my @about = map { text_of($_) } $before =~ m{(/\*.*?\*/)}gs;
    $after =~ s/^#if(?:def|ndef|)\b.*?^#endif\n//msg;
    my @declared;
    while ($after =~ m{^(/\*.*?\*/)\n((?:(?!^/\*).*\n)*?)(?=^/\*|\z)}gms) {
        my ($comment, $code) = (text_of($1), $2);
        $code =~ s/^#(?:include|endif|ifndef|define KEEL\w*_H).*\n//mg;
        $code =~ s/\s+$//;
        push @declared, {comment => $comment, code => $code} if $code =~ /\S/;
    }
    return \@about, \@declared;
}

# Functions that some code declares.
sub functions_of { return $_[0] =~ /^\w[\w *]*\b(keel_\w+)\(/mg; }

# Pieces of manual pages.
package roff;

# Text that roff prints as it is.
sub plain
{
    my ($text) = @_;
    $text =~ s/\\/\\e/g;
    $text =~ s/-/\\-/g;
    $text =~ s/`/\\(ga/g;
    $text =~ s/'/\\(aq/g;
    $text =~ s/\^/\\(ha/g;
    $text =~ s/~/\\(ti/g;
    $text =~ s/^\./\\&./mg;
    return $text;
}

# The same; what is in `so` or `so' becomes bold.
sub prose
{
    my ($text) = @_;
    my $result = '';
    while ($text =~ /\G(.*?)`([^`'\n]+)[`']/gcs) {
        $result .= plain($1) . '\fB' . plain($2) . '\fR';
    }
    return folded($result . plain(substr($text, pos($text) // 0)));
}

# In lines of at most 80 columns, none of which begins as a request does.
sub folded
{
    my @lines = ('');
    for my $word (split ' ', $_[0]) {
        push @lines, '' if length($lines[-1]) + length($word) > 78;
        $word =~ s/^\./\\&./ if $lines[-1] eq '';
        $lines[-1] .= ($lines[-1] eq '' ? '' : ' ') . $word;
    }
    return join "\n", @lines;
}

sub head
{
    my ($title, $section, $version) = @_;
    return ".\\\" Made from what the command and the headers say of themselves.\n" .
        ".TH \"" . plain($title) . "\" $section \"\" \"Keel $version\" \"Keel\"\n.ad l\n.nh\n";
}

sub section { return ".SH " . uc(plain($_[0])) . "\n"; }

sub subsection { return ".SS \"" . plain($_[0]) . "\"\n"; }

# Paragraphs, each a string.
sub paragraphs { return join(".PP\n", map { prose($_) . "\n" } @_); }

# A term and what is said of it; the term is roff already.
sub item { return ".TP\n$_[0]\n" . prose($_[1]) . "\n"; }

sub bold { return '\fB' . plain($_[0]) . '\fR'; }

sub italic { return '\fI' . plain($_[0]) . '\fR'; }

# Lines that stay as they are.
sub example
{
    my ($text) = @_;
    $text =~ s/\s+$//;
    return ".PP\n.RS 4\n.EX\n" . plain($text) . "\n.EE\n.RE\n";
}

# Names of pages with their sections, as in keel(1).
sub references
{
    return section('see also') . join(",\n", map { /(.*)(\(\d\))/ ? bold($1) . $2 : plain($_) } @_) . "\n";
}

package main;

my ($keel, $keel_h, $keel_mpi_h, $keel_mpi_objects_h, $keel_mpi_recovery_h, $folder) = @ARGV;
my ($version) = map { /(\S+)$/ } help::ask($keel, '--version');
my $commands = help::subcommands($keel);

sub page
{
    my ($section, $name, $text) = @_;
    my $path = "$folder/man$section";
    mkdir $path;
    $text =~ s/^(\.S[HS] .*\n)\.PP\n/$1/mg;
    open(my $out, '>', "$path/$name.$section") or die "$path/$name.$section: $!\n";
    print $out $text;
    close($out) or die "$path/$name.$section: $!\n";
}

# --- the command ---

sub synopsis
{
    my ($help) = @_;
    return roff::section('synopsis') . join(".br\n", map { /^(keel(?: [a-z]+)*)(.*)$/ ? roff::bold($1) . roff::plain($2) . "\n" : '' } @{$help->{usage}});
}

sub options
{
    my ($help) = @_;
    my $text = '';
    for my $option (@{$help->{options}}) {
        my @forms = map { roff::bold($_) } grep { length } $option->{short}, $option->{long};
        $forms[-1] .= ($option->{long} ? '=' : ' ') . roff::italic($option->{argument}) if $option->{argument};
        $text .= roff::item(join(', ', @forms), $option->{text});
    }
    return $text;
}

# The notes below the options; those about exit codes have a section of their own.
sub notes
{
    my ($help) = @_;
    my @exit = grep { /^(?:Exit codes:|The exit code is)/ } @{$help->{notes}};
    my @other = grep { !/^(?:Exit codes:|The exit code is)|--help' explains each/ } @{$help->{notes}};
    return (@other ? roff::section('notes') . roff::paragraphs(@other) : '') .
        (@exit ? roff::section('exit status') . roff::paragraphs(@exit) : '');
}

sub body
{
    my ($help) = @_;
    return synopsis($help) . roff::section('description') . roff::paragraphs(@{$help->{text}}) .
        roff::section('options') . options($help) . notes($help);
}

sub actions
{
    my ($actions) = @_;
    my $text = '';
    for my $name (sort keys %$actions) {
        my $help = $actions->{$name}{help};
        $text .= roff::subsection($help->{usage}[0]) . roff::paragraphs(@{$help->{text}}) .
            options({options => [grep { $_->{long} !~ /^--(?:help|usage|version)$/ } @{$help->{options}}]}) .
            (@{$help->{notes}} ? ".PP\n" . roff::paragraphs(@{$help->{notes}}) : '');
    }
    return $text ? roff::section('actions') . $text : '';
}

for my $name (keys %$commands) {
    my $command = $commands->{$name};
    page(1, "keel-$name", roff::head("KEEL-\U$name", 1, $version) . roff::section('name') .
        roff::plain("keel-$name") . ' \- ' . roff::plain($command->{summary}) . "\n" .
        body($command->{help}) . actions($command->{actions}) .
        roff::references('keel(1)', 'keel_schedules(7)', 'keel_environment(7)'));
}

my $help = help::read_help($keel);
page(1, 'keel', roff::head('KEEL', 1, $version) . roff::section('name') . "keel \\- loop schedules for OpenMP programs built with GCC\n" .
    synopsis($help) . roff::section('description') . roff::paragraphs(@{$help->{text}}) .
    roff::section('subcommands') .
    join('', map { roff::item('\fBkeel\-' . roff::plain($_->[0]) . '\fR(1)', $_->[1]) } @{$help->{entries}}) .
    roff::section('options') . options($help) .
    notes($help) .
    roff::references((map { "keel-$_->[0](1)" } @{$help->{entries}}), 'keel_schedules(7)', 'keel_environment(7)', 'keel.h(3)', 'keel_mpi(3)', 'keel_mpi_objects(3)', 'keel_mpi_recovery(3)'));

# --- schedules ---

# Pieces of a line between columns, without blanks at their ends.
sub cells
{
    my ($line, @starts) = @_;
    $line .= ' ' x 5000;
    return map { substr($line, $starts[$_], $starts[$_ + 1] - $starts[$_]) =~ s/\s+$//r } 0 .. $#starts - 1;
}

# Columns of a table from its heading's words on.
sub columns
{
    my ($heading, @lines) = @_;
    my @starts;
    push @starts, $-[0] while $heading =~ /PARAMETER|RANGE|HOLDS|DEFAULT|WITHOUT IT|MEANING/g;
    die "no columns in: $heading\n" if @starts != 4;
    push @starts, 5000;
    return map { [cells($_, @starts)] } @lines;
}

sub parameters
{
    return join '', map {
        my ($name, $range, $default, $meaning) = @$_;
        roff::item(roff::bold($name) . " (" . roff::plain($range) . ')', "$meaning; without it: $default")
    } columns(@_);
}

sub schedule
{
    my ($name) = @_;
    my @lines = help::ask($keel, 'list', $name);
    my ($title) = shift(@lines) =~ /: (.*)/;
    my $text = roff::subsection("$name: $title");
    while (@lines && $lines[0] =~ /^  (also named|written|chunk size|use|source) +(.*)/) {
        $text .= roff::item(roff::plain($1), $2);
        shift @lines;
    }
    shift @lines while @lines && $lines[0] !~ /^PARAMETER/;
    return $text . parameters(grep { /\S/ } @lines);
}

# Ways for ranks, as `keel list --mpi` tells of them in rows of two lines.
sub ranks
{
    my $text = '';
    my @lines = help::ask($keel, 'list', '--mpi');
    while (defined(my $line = shift @lines)) {
        if ($line =~ /^(.*):$/) {
            $text .= roff::section($1);
        } elsif ($line =~ /^PARAMETER/) {
            my @rows = ($line);
            push @rows, shift @lines while @lines && $lines[0] =~ /\S/;
            $text .= roff::subsection('Parameters') . parameters(@rows);
        } elsif ($line =~ /^(\S+)\s+(\S.*?)\s{3,}(\S.*)$/) {
            my ($name, $written, $use) = ($1, $2, $3);
            my ($what, $source) = shift(@lines) =~ /^\s+(\S.*?)\s{3,}(\(.*\))$/;
            $text .= roff::item(roff::bold($written), "$what $source. For: $use");
        } elsif ($line =~ /\S/) {
            $text .= ".PP\n" . roff::paragraphs($line);
        }
    }
    return $text;
}

page(7, 'keel_schedules', roff::head('KEEL_SCHEDULES', 7, $version) . roff::section('name') .
    "keel_schedules \\- schedules of loops, and ways for ranks to share loops and rows\n" .
    roff::section('description') .
    roff::paragraphs('A schedule is written NAME[,VALUE...][:KEY=VALUE,...]. It is named by KEEL_SCHEDULE, by OMP_SCHEDULE, by `keel run -s`, and by keel_set_schedule() in a program. In formulas, N are the iterations of the loop, R those that no thread has, P the threads, k the chunk size that is stated.') .
    roff::section('schedules') . join('', map { schedule($_) } help::ask($keel, 'list', '--names')) . ranks() .
    roff::references('keel-list(1)', 'keel-chunks(1)', 'keel_environment(7)'));

# --- the environment ---

sub variables
{
    my $text = '';
    my @rows = help::ask($keel, 'env', '--markdown');
    for my $row (@rows[2 .. $#rows]) {
        my ($name, $holds, $without, $meaning) = map { s/^\s+|\s+$//gr } (split /(?<!\\)\|/, $row)[1 .. 4];
        $name =~ s/`//g;
        $text .= roff::item(roff::bold($name) . '=' . roff::italic($holds), "$meaning. Without it: $without");
    }
    return $text;
}

page(7, 'keel_environment', roff::head('KEEL_ENVIRONMENT', 7, $version) . roff::section('name') .
    "keel_environment \\- environment variables that Keel reads\n" . roff::section('description') .
    roff::paragraphs('A value that cannot be used gets one message, which says what is used instead, and the program runs on. Numbers have a decimal point, whatever the locale. `keel env` tells what the variables hold now.') .
    roff::section('environment') . variables() . roff::references('keel(1)', 'keel-env(1)', 'keel_schedules(7)'));

# --- headers ---

sub comment
{
    return join '', map { $_->[0] eq 'code' ? roff::example($_->[1]) : ".PP\n" . roff::prose($_->[1]) . "\n" } @{header::parts_of($_[0])};
}

sub header_page
{
    my ($file, $title, $name, $include, $summary) = @_;
    my ($about, $declared) = header::read_header($file);
    my @links;
    my $text = roff::head($title, 3, $version) . roff::section('name') . "$name \\- $summary\n" .
        roff::section('synopsis') . ".EX\n#include <$include>\n.EE\n" . roff::section('description') .
        join('', map { comment($_) } @$about) . roff::section('declarations');
    for my $part (@$declared) {
        my @functions = header::functions_of($part->{code});
        $text .= roff::subsection(@functions ? join(', ', map { "$_()" } @functions) : (split /\n/, $part->{code})[0]) .
            roff::example($part->{code}) . comment($part->{comment});
        push @links, @functions;
    }
    page(3, $name, $text . roff::references('keel(1)', 'keel-libs(1)', 'keel_schedules(7)', 'keel_environment(7)'));
    symlink("$name.3", "$folder/man3/$_.3") or die "$_.3: $!\n" for @links;
}

header_page($keel_h, 'KEEL.H', 'keel.h', 'keel.h', 'choose schedules from within a program');
header_page($keel_mpi_h, 'KEEL_MPI', 'keel_mpi', 'keel_mpi.h', 'loops and rows of data shared by the ranks of an MPI job');
header_page($keel_mpi_objects_h, 'KEEL_MPI_OBJECTS', 'keel_mpi_objects', 'keel_mpi.h', 'objects that move among the ranks of an MPI job');
header_page($keel_mpi_recovery_h, 'KEEL_MPI_RECOVERY', 'keel_mpi_recovery', 'keel_mpi.h', 'rows that survive the ranks that have them');
