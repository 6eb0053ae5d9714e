import { expect, test } from 'vitest'
import { Serial } from './serial.ts'

test('[SUB-7] work runs in the order in which it came, one at a time, also past a failure', async () => {
  const serial = new Serial()
  const steps: string[] = []
  const work =
    (name: string, fails = false) =>
    async () => {
      steps.push(`${name} begins`)
      await Promise.resolve()
      steps.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }
  const [one, two, three] = [serial.run(work('one')), serial.run(work('two', true)), serial.run(work('three'))]
  await expect(two).rejects.toThrow('two')
  expect(await Promise.all([one, three])).toEqual(['one', 'three'])
  expect(steps).toEqual(['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})
