// Loaded before every command. Node 24 comes with `npm install` as an optional package, and a failed optional package is
// skipped in silence; without this line an older Node would only say that it does not know the extension .ts.
const LEAST_MAJOR = 24

if (Number.parseInt(process.versions.node, 10) < LEAST_MAJOR) {
  console.error(
    `Signal Feed needs Node ${LEAST_MAJOR} and this is ${process.version}: run "npm install" again (it brings Node ${LEAST_MAJOR} for Linux), or install Node ${LEAST_MAJOR}.`,
  )
  process.exit(1)
}
