#!/bin/sh
# Makes documents in a shell script, from values of a file, of a pipe and of the command line:
#   sh examples/generate.sh
# It asks the service at TEMPLATE_PDF_BASE_URL, with the key in TEMPLATE_PDF_API_KEY: from the environment, or from a file .env.
set -eu

# To a file. What went well is said on the standard output, what went wrong on the standard error.
values=$(mktemp)
trap 'rm -f "$values"' EXIT
printf '{ "number": "2026-0117", "customer": { "name": "Zoë" } }' > "$values"
npx template-pdf generate invoice --values "$values" --set "total=£640.00" -o from-file.pdf

# Through pipes: values in, the document out.
printf '{ "number": "2026-0118", "total": "£94.00" }' |
  npx template-pdf generate invoice --values - -o - > from-pipe.pdf
echo "from-pipe.pdf: $(wc -c < from-pipe.pdf | tr -d ' ') bytes"

# The exit code tells what to do: 1 was tried and may pass, 2 is wrong and was not sent.
status=0
printf 'no JSON' | npx template-pdf generate invoice --values - -o from-nothing.pdf || status=$?
case $status in
  0) echo "made" ;;
  1) echo "failed: try again later" ;;
  2) echo "not sent: mend the values" ;;
  *) exit "$status" ;; # Ctrl-C, and the like
esac
