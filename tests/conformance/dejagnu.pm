# Reads DejaGnu directives, `{ dg-NAME ARGUMENTS }`, from the text of a test and evaluates their
# target selectors. Used by recipes.pl; knows nothing about OpenMP.
package dejagnu;
use strict;
use warnings;

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

1;
