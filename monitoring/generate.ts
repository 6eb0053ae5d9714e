// Writes what Prometheus, Alertmanager and Grafana are given. The files are committed; a test says when they are stale.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { generatedFiles } from './src/files.ts'

const HERE = import.meta.dirname
const files = generatedFiles()
for (const folder of ['prometheus', 'grafana', 'alertmanager'])
  for (const name of readdirSync(join(HERE, folder), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  ))
    rmSync(join(name.parentPath, name.name))
for (const [path, text] of files) {
  mkdirSync(dirname(join(HERE, path)), { recursive: true })
  writeFileSync(join(HERE, path), text)
}
console.log(`${files.size} files written`)
