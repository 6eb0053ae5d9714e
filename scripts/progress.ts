// One way to tell a person at the terminal what is going on, apart from the log and from results on stdout.

export function progress(line: string): void {
  process.stderr.write(`· ${line}\n`)
}
