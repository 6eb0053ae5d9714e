import { DEAD_CLASS_NAMES, HANDLER_NAMES } from '#shared/ops-words.ts'
import { opsTexts } from '../../texts/ops.ts'
import type { DeadFilter } from './use-dead.ts'

const t = opsTexts.dead
const AGES_S = [300, 3_600, 86_400]
const LOOK =
  'h-6 max-w-36 rounded-6 border border-transparent bg-transparent px-1.5 text-12 font-medium text-ink-2 hover:bg-active pointer-coarse:h-9'

type Props = { filter: DeadFilter; onChange: (filter: DeadFilter) => void }

export function DeadFilters({ filter, onChange }: Props) {
  const without = <K extends keyof DeadFilter>(name: K, value: DeadFilter[K] | undefined): DeadFilter => {
    const { [name]: _, ...rest } = filter
    return value === undefined ? rest : { ...rest, [name]: value }
  }
  return (
    <>
      <select
        aria-label={t.filters.handler}
        className={LOOK}
        value={filter.handler ?? ''}
        onChange={({ target }) =>
          onChange(
            without(
              'handler',
              HANDLER_NAMES.find((name) => name === target.value),
            ),
          )
        }
      >
        <option value="">{t.anyHandler}</option>
        {HANDLER_NAMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label={t.filters.class}
        className={LOOK}
        value={filter.class ?? ''}
        onChange={({ target }) =>
          onChange(
            without(
              'class',
              DEAD_CLASS_NAMES.find((name) => name === target.value),
            ),
          )
        }
      >
        <option value="">{t.anyClass}</option>
        {DEAD_CLASS_NAMES.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        aria-label={t.filters.age}
        className={LOOK}
        value={filter.olderThanSeconds ?? ''}
        onChange={({ target }) =>
          onChange(without('olderThanSeconds', target.value === '' ? undefined : Number(target.value)))
        }
      >
        <option value="">{t.anyAge}</option>
        {AGES_S.map((seconds) => (
          <option key={seconds} value={seconds}>
            {t.ages[seconds]}
          </option>
        ))}
      </select>
    </>
  )
}
