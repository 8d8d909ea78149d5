#!/usr/bin/perl
# Turns libgomp's test directories into recipes, one line for each test that has a work-sharing loop:
#
#     TEST <tab> LANGUAGE <tab> ACTION <tab> EXPECTED <tab> FLAGS <tab> SOURCES <tab> ENVIRONMENT
#
# TEST is unique; LANGUAGE is c, c++ or fortran; ACTION is run, link or compile; EXPECTED is pass or
# fail; the rest are lists separated by blanks, "-" when empty. Tests that this machine cannot
# run are named on the error stream, with the reason. Next in the flow: try.sh.
#
# Usage: recipes.pl TESTSUITE_DIRECTORY
use strict;
use warnings;
use File::Basename;

# --- directives ---
#
# Reads DejaGnu directives, `{ dg-NAME ARGUMENTS }`, from the text of a test and evaluates their
# target selectors. It knows nothing about OpenMP.
package dejagnu;

# Effective targets that hold here for every language. Whatever is not named does not hold, so a
# test that asks for offloading, or for something unheard of, is skipped.
my %holds = map { $_ => 1 } qw(
    alias fd_truncate fpic lto pthread run_expensive_tests shared sync_int_long tls tls_runtime);

my %holds_on_x86_64 = map { $_ => 1 } qw(
    lp64 size32plus large_long_double __float128 sse2_runtime vect_simd_clones);

# Returns a list of [NAME, ARGUMENT...], in the order of the text. A directive lies on one line.
sub directives
{
    my ($text) = @_;
    my @found;
    while ($text =~ /\{[ \t]+(dg-[-a-z]+)[ \t]+(.*)[ \t]+\}/g) {
        push @found, [$1, words($2)];
    }
    return @found;
}

# Splits a Tcl list: bare words, "quoted words" and {braced words}, which nest.
sub words
{
    my ($text) = @_;
    my @words;
    while ($text =~ /\G\s*(?:("(?:[^"\\]|\\.)*")|(\{(?:[^{}]|(?2))*\})|(\S+))/gc) {
        my $word = defined $1 ? $1 : defined $2 ? $2 : $3;
        $word =~ s/^["{]\s*(.*?)\s*["}]$/$1/s unless defined $3;
        push @words, $word;
    }
    return @words;
}

# True when a directive whose last argument may be `target SELECTOR` applies to $language.
sub applies
{
    my ($argument, $language) = @_;
    return 1 unless defined $argument && $argument =~ /^target\s+(.*)/s;
    return selected($1, $language);
}

# SELECTOR: words joined by !, && and ||, grouped by braces; words side by side mean "one of".
sub selected
{
    my ($selector, $language) = @_;
    my @tokens = $selector =~ /(&&|\|\||[!{}]|[^\s{}!]+)/g;
    return any_of(\@tokens, $language);
}

sub any_of
{
    my ($tokens, $language) = @_;
    my $value = 0;
    while (@$tokens && $tokens->[0] ne '}') {
        shift @$tokens if $tokens->[0] eq '||';
        $value = all_of($tokens, $language) || $value;
    }
    return $value;
}

sub all_of
{
    my ($tokens, $language) = @_;
    my $value = one($tokens, $language);
    while (@$tokens && $tokens->[0] eq '&&') {
        shift @$tokens;
        $value = one($tokens, $language) && $value;
    }
    return $value;
}

sub one
{
    my ($tokens, $language) = @_;
    my $token = shift @$tokens;
    return 0 unless defined $token;
    return !one($tokens, $language) if $token eq '!';
    return target_holds($token, $language) unless $token eq '{';
    my $value = any_of($tokens, $language);
    shift @$tokens;
    return $value;
}

sub target_holds
{
    my ($word, $language) = @_;
    return machine_matches($word) if $word =~ /^[^-]+-[^-]+-./;
    return 1 if $word eq $language || $holds{$word};
    return cpu_has_avx() if $word eq 'avx_runtime';
    return $holds_on_x86_64{$word} && machine() =~ /^x86_64/;
}

sub machine_matches
{
    my ($glob) = @_;
    my $pattern = join '', map { $_ eq '*' ? '.*' : $_ eq '?' ? '.' : quotemeta } split //, $glob;
    return machine() =~ /^$pattern$/;
}

# CPU-VENDOR-SYSTEM, as config.guess writes it; Debian's gcc leaves the vendor out.
my $machine;
sub machine
{
    return $machine if defined $machine;
    chomp($machine = `gcc -dumpmachine`);
    $machine =~ s/^([^-]+)-(linux-.*)$/$1-pc-$2/;
    return $machine;
}

my $avx;
sub cpu_has_avx
{
    return $avx if defined $avx;
    open my $cpuinfo, '<', '/proc/cpuinfo' or return $avx = 0;
    return $avx = grep { /^flags\b.*\bavx\b/ } <$cpuinfo>;
}

# --- recipes ---
package main;

my @families = (
    # directory, language, pattern of test names, what is added to a test's name
    ['libgomp.c', 'c', qr/\.c$/, ''],
    ['libgomp.c++', 'c++', qr/\.C$/, ''],
    ['libgomp.c-c++-common', 'c', qr/\.c$/, ''],
    ['libgomp.c-c++-common', 'c++', qr/\.c$/, ':c++'],
    ['libgomp.fortran', 'fortran', qr/\.[fF](90|95|03|08)?$/, ''],
);

my ($suite) = @ARGV;
die "usage: recipes.pl TESTSUITE_DIRECTORY\n" unless defined $suite && -d $suite;
chdir $suite or die "recipes.pl: $suite: $!\n";
recipes_of_family(@$_) for @families;

sub recipes_of_family
{
    my ($directory, $language, $pattern, $suffix) = @_;
    for my $source (sort grep { basename($_) =~ $pattern } glob("$directory/* $directory/*/*")) {
        my $text = text_of($source);
        next unless has_loop(text_with_includes($source, $text, 0), $language);
        my ($recipe, $reason) = recipe($source, $text, $language);
        if ($recipe) {
            print join("\t", "$source$suffix", $language, map { $_ eq '' ? '-' : $_ } @$recipe), "\n";
        } else {
            print STDERR "$source$suffix: $reason\n";
        }
    }
}

sub text_of
{
    my ($file) = @_;
    open my $handle, '<:raw', $file or die "recipes.pl: $file: $!\n";
    local $/;
    my $text = <$handle>;
    $text =~ s/\r//g;
    return $text;
}

sub text_with_includes
{
    my ($file, $text, $depth) = @_;
    return $text if $depth > 4;
    $text =~ s{^[ \t]*\#?[ \t]*include[ \t]+["']([^"']+)["'].*$}
              {included($file, $1, $depth)}gime;
    return $text;
}

sub included
{
    my ($file, $name, $depth) = @_;
    my $path = dirname($file) . "/$name";
    return -f $path ? text_with_includes($path, text_of($path), $depth + 1) : '';
}

# A loop shared by the threads of a team: by directive, by a macro that holds the directive's name, by
# automatic parallelisation, or by a direct call of libgomp's entry points.
sub has_loop
{
    my ($text, $language) = @_;
    return 1 if $text =~ /-ftree-parallelize-loops|\bGOMP_(parallel_)?loop/;
    if ($language eq 'fortran') {
        return $text =~ /^\s*[!c*]\$omp\b[^\n]*\b(paralleldo|do|loop|workshare)\b/mi;
    }
    $text =~ s/\\\n/ /g;
    return $text =~ /\bomp\b[^\n]*\b(for|loop)\b(?!\s*\()/
        || $text =~ /^\s*\#\s*define\s+\w+\s[^\n]*\bfor\b(?!\s*\()/m;
}

# Returns a reference to [action, expected, flags, sources, environment], or undef and the reason.
sub recipe
{
    my ($source, $text, $language) = @_;
    my %state = (action => 'run', expected => 'pass', options => '', additional => '',
                 sources => [$source], environment => [], chosen => undef, reason => undef);
    for (dejagnu::directives($text)) {
        my ($name, @arguments) = @$_;
        (my $method = $name) =~ s/-/_/g;
        my $handler = main->can($method) or next;
        $handler->(\%state, $language, @arguments);
    }
    my $reason = $state{reason};
    $reason = 'not for this target' if defined $state{chosen} && !$state{chosen};
    return (undef, $reason) if defined $reason;
    # Threads that wait for iterations of each other spin, however few processors there are.
    unshift @{$state{environment}}, 'OMP_NUM_THREADS=2' if $text =~ /\bdepend\s*\(\s*sink/i;
    return [@state{qw(action expected)}, flags(\%state),
            join(' ', @{$state{sources}}), join(' ', @{$state{environment}})];
}

# Dumps are for dg-final, which is not evaluated, and offloading is off.
sub flags
{
    my ($state) = @_;
    my @flags = split ' ', "$state->{options} $state->{additional}";
    return join ' ', grep { !/^-(fdump-|foffload)/ } @flags;
}

# The last dg-do names the action; one whose selector holds is enough to choose the test.
sub dg_do
{
    my ($state, $language, $action, $selector) = @_;
    $state->{action} = $action;
    $state->{chosen} = 1 if dejagnu::applies($selector, $language);
    $state->{chosen} = 0 unless defined $state->{chosen};
}

sub dg_options
{
    my ($state, $language, $options, $selector) = @_;
    $state->{options} = $options if dejagnu::applies($selector, $language);
}

sub dg_additional_options
{
    my ($state, $language, $options, $selector) = @_;
    $state->{additional} .= " $options" if dejagnu::applies($selector, $language);
}

sub dg_additional_sources
{
    my ($state, $language, $names, $selector) = @_;
    return unless dejagnu::applies($selector, $language);
    my $directory = dirname($state->{sources}[0]);
    push @{$state->{sources}}, map { "$directory/$_" } split ' ', $names;
}

sub dg_set_target_env_var
{
    my ($state, $language, $name, $value, $selector) = @_;
    push @{$state->{environment}}, "$name=$value" if dejagnu::applies($selector, $language);
}

sub dg_require_effective_target
{
    my ($state, $language, $target, $selector) = @_;
    return if dejagnu::selected($target, $language) || !dejagnu::applies($selector, $language);
    $state->{reason} = "wants $target";
}

# Option lists behind the selector only thin out DejaGnu's own runs at several optimisation levels.
sub dg_skip_if
{
    my ($state, $language, $comment, $selector, @options) = @_;
    return if @options || !dejagnu::selected($selector, $language);
    $state->{reason} = $comment eq '' ? 'skipped by its own directive' : $comment;
}

sub dg_shouldfail
{
    my ($state, $language, $comment, $selector) = @_;
    return if defined $selector && !dejagnu::selected($selector, $language);
    $state->{expected} = 'fail';
}

sub dg_xfail_run_if
{
    my ($state, $language, $comment, $selector) = @_;
    $state->{reason} = "known to fail: $comment" if dejagnu::selected($selector, $language);
}
