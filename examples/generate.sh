#!/bin/sh
# Generates documents in a shell script, with values from a file, a pipe and the command line:
#   sh examples/generate.sh
# It reads TEMPLATE_PDF_BASE_URL and TEMPLATE_PDF_API_KEY from the environment or from a file .env.
set -eu

# Writes a file. Results are printed to standard output, errors to standard error.
values=$(mktemp)
trap 'rm -f "$values"' EXIT
printf '{ "number": "2026-0117", "customer": { "name": "Zoë" } }' > "$values"
npx template-pdf generate invoice --values "$values" --set "total=£640.00" -o from-file.pdf

# Reads values from a pipe, and writes the document to a pipe.
printf '{ "number": "2026-0118", "total": "£94.00" }' |
  npx template-pdf generate invoice --values - -o - > from-pipe.pdf
echo "from-pipe.pdf: $(wc -c < from-pipe.pdf | tr -d ' ') bytes"

# Exit code 1 means that the call failed and can be repeated; 2 means that the input is wrong and was not sent.
status=0
printf 'no JSON' | npx template-pdf generate invoice --values - -o from-nothing.pdf || status=$?
case $status in
  0) echo "generated" ;;
  1) echo "failed: try again later" ;;
  2) echo "not sent: fix the values" ;;
  *) exit "$status" ;; # Ctrl-C or another signal
esac
