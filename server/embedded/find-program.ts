// Looks for a program the way a shell does, plus places that packages use without putting them on PATH.
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export function findProgram(names: string[], extraDirectories: string[] = []): string | null {
  const directories = [...(process.env.PATH ?? '').split(delimiter), ...extraDirectories].filter(
    (entry) => entry !== '',
  )
  for (const name of names) {
    for (const directory of directories) {
      const path = join(directory, name)
      if (isExecutable(path)) return path
    }
  }
  return null
}

function isExecutable(path: string): boolean {
  if (!existsSync(path)) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
