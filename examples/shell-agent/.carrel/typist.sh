# The simplest agent: it reads its prompt from standard input, works in the current directory, and prints what it did.
grep --quiet hello && echo hello > greeting.txt
echo "I wrote $(cat greeting.txt)."
