#!/usr/bin/perl
# The page of `keel view` with many chunks, nightly a million: it opens, zooms, searches, and says how long drawing took.
use strict;
use warnings;
use Cwd 'abs_path';
use File::Basename 'dirname';
use lib dirname(abs_path(__FILE__));
use Test::More;
use Time::HiRes 'time';
use Browser;

plan skip_all => 'there is no chromium (.ci/install test)' if !Browser::program();
my ($keel, $write_trace) = map { Browser::built($_) } 'keel', 'tests/omp_ext/command/trace/write_trace.pl';
my $work = abs_path($ENV{TEST_TMPDIR} // File::Temp::tempdir(CLEANUP => 1));
chdir $work or die;

my $many = $ENV{KEEL_TEST_NIGHTLY} ? 1000000 : 200000;
my $told = `'$write_trace' many.json ranks=4 threads=8 loops=12 chunks=$many`;
diag($told =~ /^# (.*)/);
my %chunks = $told =~ /^([^#\s].*?) \d+ (\d+) \d+ \d+$/mg;
my $all = 0;
$all += $_ for values %chunks;
my $begin = time;
is(`'$keel' view many.json`, "many.html\n", 'the page is made');
diag(sprintf 'keel view: %.1f s, %.1f MB', time - $begin, (-s 'many.html') / 1e6);
unlink 'many.json';

my $browser = Browser->start(width => 1400, height => 860);
END { $browser->stop if $browser }
sub text { $browser->value("document.querySelector('$_[0]').textContent") }

sub say_drawn { diag("$_[0]: drawn in " . $browser->value("document.getElementById('status').dataset.drawn") . ' ms') }

$begin = time;
$browser->open("$work/many.html");
diag(sprintf 'opened: %.1f s', time - $begin);
my $shown = text('#details') =~ /chunks([\d\x{202f}]+)computing/ ? $1 =~ s/\D//gr : '';
is($shown, $all, 'all chunks are there');
say_drawn('the whole run at first');
$browser->wheel(700, 300, 60);
$browser->wheel(700, 300, 60);
say_drawn('the whole run');
for my $times (1 .. 12) {
    $browser->wheel(700, 300, -500);
    say_drawn("zoomed $times") if $times % 3 == 0;
}
like(text('#status'), qr/ of /, 'it still tells what is visible');
$browser->drag(900, 300, 300, 300);
say_drawn('moved');
$browser->key('0');
my ($some) = sort { $chunks{$a} <=> $chunks{$b} } keys %chunks;
$browser->key('/');
$begin = time;
$browser->send('Input.insertText', text => $some);
$browser->settle;
diag(sprintf 'searched: %.2f s', time - $begin);
say_drawn('highlighted');
is($browser->value("document.querySelectorAll('#table tbody tr').length"), 1, 'a loop is found');
$browser->key('Enter');
like(text('#details'), qr/^Loop \Q$some\E/, 'and shown');
is_deeply($browser->{errors}, [], 'without errors');
done_testing();
