import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ALERTS } from './alerts/all.ts'
import { generatedFiles } from './files.ts'
import { BOARDS } from './grafana/boards.ts'
import { toDashboard } from './grafana/panel.ts'

const HERE = join(import.meta.dirname, '..')
const committed = ['prometheus', 'grafana', 'alertmanager'].flatMap((folder) =>
  readdirSync(join(HERE, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(HERE.length + 1)),
)

test('[MON-5] what is committed is what the source says; if not, run "node monitoring/generate.ts"', () => {
  const files = generatedFiles()
  expect(committed.sort()).toEqual([...files.keys()].sort())
  for (const [path, text] of files)
    expect(readFileSync(join(HERE, path), 'utf8') === text, `${path} is stale`).toBe(true)
})

test('[MON-5] panels have ids of their own, fit the grid and do not lie upon each other', () => {
  for (const board of BOARDS) {
    const { panels = [] } = toDashboard(board)
    const places = panels.flatMap((panel) => ('gridPos' in panel && panel.gridPos ? [panel.gridPos] : []))
    const ids = panels.map((panel) => ('id' in panel ? panel.id : undefined))
    expect(new Set(ids).size, board.title).toBe(panels.length)
    expect(places).toHaveLength(panels.length)
    for (const [at, one] of places.entries()) {
      expect(one.x + one.w).toBeLessThanOrEqual(24)
      for (const other of places.slice(at + 1)) {
        const apart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y
        expect(apart, `${board.title}: ${JSON.stringify([one, other])}`).toBe(true)
      }
    }
  }
})

test('[MON-3] alerts have names of their own, and neither queries nor values computed in what people read', () => {
  expect(new Set(ALERTS.map(({ name }) => name)).size).toBe(ALERTS.length)
  for (const { name, summary, description } of ALERTS) {
    expect(`${summary} ${description}`, name).not.toMatch(/query|rate\(|increase\(/)
    expect(summary.length, name).toBeLessThan(120)
  }
})
