import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { knock, openDoor, type Statement } from './database-door.ts'

describe('the door to the embedded database', () => {
  let dataDir: string
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'sf-door-'))
  })
  afterEach(() => rm(dataDir, { recursive: true, force: true }))

  const refusing = async ({ text, values = [] }: Statement) => {
    if (text === 'bad') throw Object.assign(new Error('syntax error'), { code: '42601' })
    return { rows: [{ text, values }] }
  }

  it('carries statements and their rows', async () => {
    const door = await openDoor(dataDir, refusing)
    const client = await knock(dataDir)
    const { rows } = await client!.run({ text: 'select $1', values: [[1, 'ä', null]] })
    expect(rows).toEqual([{ text: 'select $1', values: [[1, 'ä', null]] }])
    client!.close()
    await door!.close()
  })

  it('hands on what the database refuses, and goes on', async () => {
    const door = await openDoor(dataDir, refusing)
    const client = await knock(dataDir)
    await expect(client!.run({ text: 'bad' })).rejects.toMatchObject({ message: 'syntax error', code: '42601' })
    expect((await client!.run({ text: 'good' })).rows).toHaveLength(1)
    client!.close()
    await door!.close()
  })

  it('is for the owner of the data only', async () => {
    const door = await openDoor(dataDir, refusing)
    expect((await stat(join(dataDir, 'door'))).mode & 0o077).toBe(0)
    await door!.close()
  })

  it('is not there before a server opens it, nor after it has closed it; a new one opens it again', async () => {
    expect(await knock(dataDir)).toBeNull()
    await (await openDoor(dataDir, refusing))!.close()
    expect(await knock(dataDir)).toBeNull()
    const again = await openDoor(dataDir, refusing)
    const client = await knock(dataDir)
    expect(client).not.toBeNull()
    client!.close()
    await again!.close()
  })

  it('stays shut where the path is too long for a socket', async () => {
    expect(await openDoor(join(dataDir, 'x'.repeat(120)), refusing)).toBeNull()
  })
})
