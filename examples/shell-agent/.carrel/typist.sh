# The simplest agent: it reads its prompt from standard input, works in the current directory, and prints what it did.
case $(cat) in *hello*) echo hello > greeting.txt ;; esac
echo "I wrote $(cat greeting.txt)."
