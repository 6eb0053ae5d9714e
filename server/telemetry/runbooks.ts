// The runbooks, one file per alert and of its name. Only names that are in the folder are ever opened.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../monitoring/runbooks', import.meta.url))
const ENDING = '.md'

export type Runbooks = { names: () => Promise<string[]>; read: (name: string) => Promise<string | null> }

export function createRunbooks(folder = FOLDER): Runbooks {
  const names = async () => {
    // A checkout without them is no reason to fail.
    const files = await readdir(folder).catch(() => [])
    return files
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .sort()
  }
  return {
    names,
    async read(name) {
      if (!(await names()).includes(name)) return null
      return readFile(join(folder, `${name}${ENDING}`), 'utf8')
    },
  }
}
