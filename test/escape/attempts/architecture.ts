import type { Attempt } from '../harness/attempt.js';
import { perl } from '../harness/program.js';

/** A filter that looks at numbers only is passed by calls that are counted otherwise. */
export const architecture: readonly Attempt[] = [
  {
    name: 'makes a call the 32-bit way, whose numbers mean other calls',
    controlNeeds: '32-bit system calls',
    program: ({ path }) => perl(INTERRUPT, `${path}/interrupt`),
  },
  {
    name: 'makes a call with the bit of x32',
    controlNeeds: 'x32 system calls',
    // In a child: a filter may kill the process.
    program: () =>
      perl(`
        my $child = fork;
        exit(syscall(0x40000000 | $NUMBERS{getpid}) > 0 ? 42 : 0) if $child == 0;
        waitpid($child, 0);
        $? >> 8 == 42 ? escaped('x32') : held("status $?");`),
  },
];

/**
 * Writes a program of some hundred bytes: `getpid` through `int 0x80`, then `exit` the ordinary way, with 42 when the
 * first came through. mov eax,20; int 0x80; xor edi,edi; test eax,eax; jle +5; mov edi,42; mov eax,60; syscall
 */
const INTERRUPT = String.raw`
my $code = "\xb8\x14\0\0\0\xcd\x80\x31\xff\x85\xc0\x7e\x05\xbf\x2a\0\0\0\xb8\x3c\0\0\0\x0f\x05";
my $size = 120 + length $code;
my $header = pack('SSLQQQLSSSSSS', 2, 62, 1, 0x400078, 64, 0, 0, 64, 56, 1, 0, 0, 0);
my $segment = pack('LLQQQQQQ', 1, 5, 0, 0x400000, 0x400000, $size, $size, 0x1000);
my $name = $ARGV[0];
open(my $file, '>:raw', $name) or held($!);
print $file "\x7fELF\x02\x01\x01", "\0" x 9, $header, $segment, $code;
close $file;
chmod 0755, $name;
my $status = system { $name } $name;
unlink $name;
$status >> 8 == 42 ? escaped('int 0x80') : held("status $status");
`;
