// Dead letters as a table: choose with the boxes, look at one by its name.
import type { ComponentProps } from 'react'
import { clockTimeExact, exactTime, shortTime } from '../../feed/when.ts'
import { opsTexts } from '../../texts/ops.ts'
import { Chip, type ChipTone } from '../../ui/chip.tsx'
import { whole } from '../numbers.ts'
import { TABLE, TD, TH } from '../panel.tsx'
import type { Letter } from './use-dead.ts'

const t = opsTexts.dead

export const CLASS_TONES: Record<Letter['class'], ChipTone> = {
  transient: 'warn',
  client_crash: 'accent',
  permanent: 'bad',
  trimmed: 'plain',
}

type Props = {
  letters: Letter[]
  selected: ReadonlySet<string>
  onToggle: (letter: Letter) => void
  onToggleAll: () => void
  onShow: (letter: Letter) => void
}

export function DeadTable({ letters, selected, onToggle, onToggleAll, onShow }: Props) {
  const all = letters.length > 0 && letters.every(({ id }) => selected.has(id))
  return (
    <table className={`${TABLE} table-fixed`}>
      <thead>
        <tr>
          <th className={`${TH} w-8.5`}>
            <Box
              aria-label={t.selectAll}
              checked={all}
              ref={(box) => {
                if (box) box.indeterminate = !all && selected.size > 0
              }}
              onChange={onToggleAll}
            />
          </th>
          <th className={`${TH} w-20 max-sm:w-16`}>{t.head.died}</th>
          <th className={`${TH} w-22 max-sm:hidden`}>{t.head.handler}</th>
          <th className={`${TH} w-[26%] max-sm:w-auto`}>{t.head.topic}</th>
          <th className={`${TH} w-26`}>{t.head.class}</th>
          <th className={`${TH} max-sm:hidden`}>{t.head.error}</th>
          <th className={`${TH} w-13 text-right max-sm:hidden`}>{t.head.tries}</th>
        </tr>
      </thead>
      <tbody>
        {letters.map((letter) => (
          <Row
            key={letter.id}
            letter={letter}
            selected={selected.has(letter.id)}
            onToggle={() => onToggle(letter)}
            onShow={() => onShow(letter)}
          />
        ))}
      </tbody>
    </table>
  )
}

type RowProps = { letter: Letter; selected: boolean; onToggle: () => void; onShow: () => void }

function Row({ letter, selected, onToggle, onShow }: RowProps) {
  const what = `${letter.handler}, ${letter.topic} ${whole(letter.seq)}`
  const cell = `${TD} ${selected ? 'bg-selected' : 'group-hover:bg-hover'}`
  return (
    <tr className="group">
      <td className={`${cell} ${selected ? 'shadow-[inset_2px_0_0_var(--accent)]' : ''}`}>
        <Box aria-label={t.select(what)} checked={selected} onChange={onToggle} />
      </td>
      <td className={`${cell} text-ink-3!`}>
        <time dateTime={new Date(letter.diedAt).toISOString()} title={exactTime(letter.diedAt)}>
          {diedText(letter.diedAt)}
        </time>
      </td>
      <td className={`${cell} truncate font-medium text-ink! max-sm:hidden`}>{letter.handler}</td>
      <td className={`${cell} truncate`}>
        <button
          type="button"
          aria-label={t.show(what)}
          onClick={onShow}
          className="max-w-full truncate rounded-4 text-left hover:text-ink hover:underline"
        >
          <span className="text-ink sm:hidden">{letter.handler} · </span>
          {letter.topic} {whole(letter.seq)}
        </button>
      </td>
      <td className={cell}>
        <Chip tone={CLASS_TONES[letter.class]}>{letter.class}</Chip>
      </td>
      <td className={`${cell} truncate font-mono max-sm:hidden`} title={letter.error ?? undefined}>
        {letter.error ?? t.noError}
      </td>
      <td className={`${cell} text-right max-sm:hidden`}>{letter.attempts}</td>
    </tr>
  )
}

const DAY_MS = 86_400_000

/** To the second while it is of this day: operators compare it with other logs. */
const diedText = (at: number): string => (Date.now() - at < DAY_MS ? clockTimeExact(at) : shortTime(at, Date.now()))

function Box(props: ComponentProps<'input'>) {
  return (
    <span className="relative inline-grid place-items-center align-middle after:absolute after:-inset-1.5 after:content-['']">
      <input type="checkbox" {...props} className="relative z-1 block size-3.5 accent-accent" />
    </span>
  )
}
