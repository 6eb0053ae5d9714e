/** Where the choice goes by an arrow key in a list that wraps around; null for every other key. */
export function optionStep(key: string, at: number, count: number): number | null {
  const step = { ArrowDown: 1, ArrowUp: -1 }[key]
  return step === undefined || count === 0 ? null : (at + step + count) % count
}
