import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runbookUrl } from './alert.ts'
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

test('[MON-4] every alert has its runbook with the four parts and commands, its link leads there, and no page is left over', () => {
  const pages = readdirSync(join(HERE, 'runbooks')).map((name) => name.replace(/\.md$/, ''))
  expect(pages.sort()).toEqual(ALERTS.map(({ name }) => name).sort())
  for (const { name } of ALERTS) {
    const text = readFileSync(join(HERE, 'runbooks', `${name}.md`), 'utf8')
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading!)
    expect(
      headings.filter((heading) => /^[A-Z][A-Za-z]+$/.test(heading)),
      name,
    ).toEqual([...[name, 'Meaning', 'Impact', 'Diagnosis', 'Mitigation']])
    expect(text, name).toMatch(/```sh\n# .+\n.+/)
    // The console shows runbooks at this address.
    expect(runbookUrl(name)).toBe(`{{ $externalLabels.product_url }}/ops/runbooks/${name}`)
  }
})

test('[MON-4] runbooks name alerts that exist', () => {
  const names = new Set(ALERTS.map(({ name }) => name))
  for (const name of names) {
    const text = readFileSync(join(HERE, 'runbooks', `${name}.md`), 'utf8')
    const named = [...text.matchAll(/(?:see|for|and|name:) `([A-Z][A-Za-z]+)`/g)].map(([, other]) => other!)
    expect(
      named.filter((other) => !names.has(other)),
      name,
    ).toEqual([])
  }
})
