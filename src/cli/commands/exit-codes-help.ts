/** What the exit codes mean where a command has no others. */
export const exitCodesHelp = `
Exit codes:
  0    done
  1    it was tried and failed: the service, the network, the disk, the time
  2    the command line or its input is wrong, and nothing was sent
  130  stopped by Ctrl-C (143: by SIGTERM); no half of a file is left
  141  nobody reads the output any more`;
